-- SPDX-License-Identifier: MIT
-- Version 3: in the queue of tare fleet a name is one worker's.
UPDATE tare.version SET version = 3;

-- Who is called how: a worker of this role and key, which its connection has as the setting tare.worker. A name is free once it was silent for a minute.
CREATE TABLE tare.fleet_worker (
    host text PRIMARY KEY CHECK (octet_length(host) BETWEEN 1 AND 256),
    role name NOT NULL,
    key text NOT NULL CHECK (octet_length(key) <= 64),
    heard timestamptz NOT NULL
);

-- Whether this name is the caller's; else another worker has it.
CREATE FUNCTION tare.fleet_called(at_host text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    mine text := coalesce(current_setting('tare.worker', true), '');
BEGIN
    IF EXISTS (SELECT FROM tare.fleet_worker w WHERE w.host = at_host AND w.role = session_user AND w.key = mine AND w.heard > now() - interval '20 seconds') THEN
        RETURN 1;
    END IF;
    DELETE FROM tare.fleet_worker w WHERE w.heard < now() - interval '30 days';
    INSERT INTO tare.fleet_worker AS w VALUES (at_host, session_user, mine, now())
        ON CONFLICT (host) DO UPDATE SET role = excluded.role, key = excluded.key, heard = now()
        WHERE (w.role = session_user AND w.key = mine) OR (w.heard < now() - interval '1 minute' AND NOT EXISTS (
            SELECT FROM tare.fleet f JOIN tare.fleet_node n ON n.fleet = f.name JOIN tare.fleet_unit u ON u.fleet = n.fleet AND u.node = n.node
            WHERE n.host = at_host AND u.id IS NULL AND u.heard >= now() - f.lost));
    RETURN CASE WHEN FOUND THEN 1 ELSE 0 END;
END $$;

-- As in version 2, but for the name.
-- A unit of these plans, for this host; no row: there is none now, or the host has one already. A plan may have become one of another class since it was offered.
CREATE OR REPLACE FUNCTION tare.fleet_take(names text[], at_host text, of_class text DEFAULT NULL)
RETURNS TABLE (name text, unit bigint, attempt bigint, failure text, lost_s bigint, timeout_s bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    given integer;
BEGIN
    PERFORM pg_advisory_xact_lock(1952543334, hashtext(at_host));
    IF tare.fleet_called(at_host) = 0 OR EXISTS (SELECT FROM tare.fleet f JOIN tare.fleet_node n ON n.fleet = f.name JOIN tare.fleet_unit u ON u.fleet = n.fleet AND u.node = n.node
               WHERE n.host = at_host AND u.id IS NULL AND u.heard >= now() - f.lost) THEN
        RETURN;
    END IF;
    FOR c IN SELECT n.fleet, n.node FROM tare.fleet f JOIN tare.fleet_node n ON n.fleet = f.name
             CROSS JOIN LATERAL (SELECT tare.fleet_next(n.fleet, n.node, at_host) AS unit OFFSET 0) x
             WHERE f.name = ANY (names) AND f.open AND (f.class IS NULL OR f.class = of_class) AND (n.host = at_host OR NOT n.kept) AND x.unit IS NOT NULL
             ORDER BY f.put, f.name, n.host IS DISTINCT FROM at_host, x.unit LOOP
        PERFORM FROM tare.fleet_node n WHERE n.fleet = c.fleet AND n.node = c.node FOR UPDATE SKIP LOCKED;
        CONTINUE WHEN NOT FOUND;
        given := tare.fleet_next(c.fleet, c.node, at_host); -- once more: another may have taken it since the list was made
        CONTINUE WHEN given IS NULL;
        RETURN QUERY UPDATE tare.fleet_unit u SET attempt = u.attempt + 1, tries = u.tries + 1, heard = now(), failure =
            CASE WHEN u.heard IS NULL THEN u.failure ELSE format('nothing was heard of host %s any more', n.host) END
            FROM tare.fleet_node n, tare.fleet f
            WHERE u.fleet = c.fleet AND u.unit = given AND n.fleet = u.fleet AND n.node = u.node AND f.name = u.fleet
            RETURNING u.fleet, u.unit::bigint, u.attempt::bigint, u.failure, ceil(extract(epoch FROM f.lost))::bigint, f.timeout_s::bigint;
        UPDATE tare.fleet_node n SET host = at_host, taken_by = session_user WHERE n.fleet = c.fleet AND n.node = c.node;
        RETURN;
    END LOOP;
END $$;

-- The node of a unit, whose row is the caller's until the transaction ends, if this host and role were given this attempt last, and the name is the caller's; else null.
CREATE OR REPLACE FUNCTION tare.fleet_hold(of_fleet text, of_unit integer, of_attempt integer, at_host text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held integer;
BEGIN
    IF tare.fleet_called(at_host) = 0 THEN
        RETURN NULL;
    END IF;
    PERFORM FROM tare.fleet_node n WHERE n.fleet = of_fleet
        AND n.node = (SELECT u.node FROM tare.fleet_unit u WHERE u.fleet = of_fleet AND u.unit = of_unit) FOR UPDATE;
    SELECT n.node INTO held FROM tare.fleet_unit u JOIN tare.fleet_node n ON n.fleet = u.fleet AND n.node = u.node
        WHERE u.fleet = of_fleet AND u.unit = of_unit AND u.attempt = of_attempt AND n.host = at_host AND n.taken_by = session_user;
    RETURN held;
END $$;

REVOKE EXECUTE ON FUNCTION tare.fleet_called FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tare.fleet_called TO tare_worker;
ALTER TABLE tare.fleet_worker ENABLE ROW LEVEL SECURITY;
