-- SPDX-License-Identifier: MIT
-- Version 2: the queue of tare fleet, beside the history. Who leads writes plans of his own; who works calls the functions below and nothing else.
UPDATE tare.version SET version = 2;
DO $$
BEGIN
    BEGIN
        CREATE ROLE tare_leader NOLOGIN;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END;
    BEGIN
        CREATE ROLE tare_worker NOLOGIN;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END;
END $$;

CREATE TABLE tare.fleet (
    name text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{12}-[0-9a-f]{16}$'), -- the plan, and which leader's folder it is of
    plan text NOT NULL CHECK (octet_length(plan) <= 67108864),
    class text CHECK (octet_length(class) BETWEEN 1 AND 256), -- only for workers of this class; null: for all
    excluded text[] NOT NULL DEFAULT '{}', -- hosts that get no unit of it
    attempts integer NOT NULL CHECK (attempts BETWEEN 1 AND 100),
    lost interval NOT NULL CHECK (lost >= '1 second' AND lost <= '1 year'), -- after so long without a word of it a host has lost its unit
    timeout_s integer NOT NULL CHECK (timeout_s >= 0), -- 0: none
    open boolean NOT NULL, -- units are given out
    put_by name NOT NULL DEFAULT session_user,
    put timestamptz NOT NULL DEFAULT now()
);
-- All units of a node are measured on one host, and a host measures one node of a plan.
CREATE TABLE tare.fleet_node (
    fleet text REFERENCES tare.fleet ON DELETE CASCADE,
    node integer CHECK (node BETWEEN 1 AND 1000),
    host text CHECK (octet_length(host) BETWEEN 1 AND 256), -- null: nobody has it
    taken_by name, -- null: whoever is this host
    kept boolean NOT NULL, -- something of it is measured, so it is this host's
    PRIMARY KEY (fleet, node),
    UNIQUE (fleet, host)
);
CREATE TABLE tare.fleet_unit (
    fleet text,
    unit integer CHECK (unit BETWEEN 1 AND 100000),
    node integer NOT NULL,
    attempt integer NOT NULL CHECK (attempt >= 0), -- how often it was given out: who has an older one has lost it
    tries integer NOT NULL DEFAULT 0, -- the same, since the plan was put
    heard timestamptz, -- from who is measuring it; null: nobody is
    failure text CHECK (octet_length(failure) <= 4096), -- of the attempt before
    id text CHECK (id ~ '^[0-9a-f]{64}$'), -- SHA-256 of the record; null: there is none
    record text CHECK (octet_length(record) <= 67108864), -- null: its leader has it
    PRIMARY KEY (fleet, unit),
    FOREIGN KEY (fleet, node) REFERENCES tare.fleet_node ON DELETE CASCADE
);
CREATE INDEX ON tare.fleet_unit (fleet, node);

-- ---- what a worker calls: each is one transaction, and what concerns a node waits for its row ----

-- The plans of which there may be something to do, without those that are known; and of those that are kept the ones that are in the queue no more, without a plan.
CREATE FUNCTION tare.fleet_offers(known text[], kept text[], of_class text) RETURNS TABLE (name text, plan text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    (SELECT f.name, f.plan FROM tare.fleet f WHERE f.open AND f.name <> ALL (known) AND (f.class IS NULL OR f.class = of_class) ORDER BY f.put LIMIT 16)
    UNION ALL SELECT k, NULL FROM unnest(kept) k WHERE NOT EXISTS (SELECT FROM tare.fleet f WHERE f.name = k)
$$;

-- The unit that this host would be given of this node now; null: none.
CREATE FUNCTION tare.fleet_next(of_fleet text, of_node integer, at_host text) RETURNS integer
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT u.unit FROM tare.fleet f JOIN tare.fleet_node n ON n.fleet = f.name JOIN tare.fleet_unit u ON u.fleet = n.fleet AND u.node = n.node
    WHERE f.name = of_fleet AND n.node = of_node AND f.open AND u.id IS NULL AND u.tries < f.attempts AND (u.heard IS NULL OR u.heard < now() - f.lost)
        AND at_host <> ALL (f.excluded)
        AND CASE WHEN n.host = at_host THEN n.taken_by IS NULL OR n.taken_by = session_user
            ELSE NOT EXISTS (SELECT FROM tare.fleet_node o WHERE o.fleet = of_fleet AND o.host = at_host)
                AND (n.host IS NULL OR NOT n.kept AND NOT EXISTS (
                    SELECT FROM tare.fleet_unit o WHERE o.fleet = of_fleet AND o.node = of_node AND o.heard >= now() - f.lost)) END
    ORDER BY u.unit LIMIT 1
$$;

-- A unit of these plans, for this host; no row: there is none now, or the host has one already. A plan may have become one of another class since it was offered.
CREATE FUNCTION tare.fleet_take(names text[], at_host text, of_class text DEFAULT NULL)
RETURNS TABLE (name text, unit bigint, attempt bigint, failure text, lost_s bigint, timeout_s bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    c record;
    given integer;
BEGIN
    PERFORM pg_advisory_xact_lock(1952543334, hashtext(at_host));
    IF EXISTS (SELECT FROM tare.fleet f JOIN tare.fleet_node n ON n.fleet = f.name JOIN tare.fleet_unit u ON u.fleet = n.fleet AND u.node = n.node
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

-- The node of a unit, whose row is the caller's until the transaction ends, if this host and role were given this attempt last; else null.
CREATE FUNCTION tare.fleet_hold(of_fleet text, of_unit integer, of_attempt integer, at_host text) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held integer;
BEGIN
    PERFORM FROM tare.fleet_node n WHERE n.fleet = of_fleet
        AND n.node = (SELECT u.node FROM tare.fleet_unit u WHERE u.fleet = of_fleet AND u.unit = of_unit) FOR UPDATE;
    SELECT n.node INTO held FROM tare.fleet_unit u JOIN tare.fleet_node n ON n.fleet = u.fleet AND n.node = u.node
        WHERE u.fleet = of_fleet AND u.unit = of_unit AND u.attempt = of_attempt AND n.host = at_host AND n.taken_by = session_user;
    RETURN held;
END $$;

-- Whether it still has the unit.
CREATE FUNCTION tare.fleet_beat(of_fleet text, of_unit integer, of_attempt integer, at_host text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF tare.fleet_hold(of_fleet, of_unit, of_attempt, at_host) IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE tare.fleet_unit u SET heard = clock_timestamp() WHERE u.fleet = of_fleet AND u.unit = of_unit AND u.id IS NULL;
    RETURN 1;
END $$;

-- A record; null: only what would become of it. 'added', 'wanted' (of null), 'there' (this very one is), 'other' (the unit is another's, or has another
-- record), 'gone' (the plan is in the queue no more).
CREATE FUNCTION tare.fleet_deliver(of_fleet text, of_unit integer, of_attempt integer, at_host text, of_id text, of_record text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held integer := tare.fleet_hold(of_fleet, of_unit, of_attempt, at_host);
BEGIN
    IF NOT EXISTS (SELECT FROM tare.fleet f WHERE f.name = of_fleet) THEN
        RETURN 'gone';
    ELSIF EXISTS (SELECT FROM tare.fleet_unit u WHERE u.fleet = of_fleet AND u.unit = of_unit AND u.id = of_id) THEN
        RETURN 'there';
    ELSIF held IS NULL OR EXISTS (SELECT FROM tare.fleet_unit u WHERE u.fleet = of_fleet AND u.unit = of_unit AND u.id IS NOT NULL) THEN
        RETURN 'other';
    ELSIF of_record IS NULL THEN
        RETURN 'wanted';
    ELSIF encode(sha256(convert_to(of_record, 'UTF8')), 'hex') IS DISTINCT FROM of_id THEN
        RAISE EXCEPTION 'the record was changed on its way';
    END IF;
    UPDATE tare.fleet_unit u SET id = of_id, record = of_record, heard = NULL WHERE u.fleet = of_fleet AND u.unit = of_unit;
    UPDATE tare.fleet_node n SET kept = true WHERE n.fleet = of_fleet AND n.node = held;
    RETURN 'added';
END $$;

-- That it was not measured: 'failed' (nobody tries it again for this leader), 'lost' (the next may), 'returned' (the same, and it was no attempt).
CREATE FUNCTION tare.fleet_fail(of_fleet text, of_unit integer, of_attempt integer, at_host text, how text, why text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held integer := tare.fleet_hold(of_fleet, of_unit, of_attempt, at_host);
BEGIN
    IF held IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE tare.fleet_unit u SET heard = NULL, failure = left(why, 1000),
        tries = CASE how WHEN 'failed' THEN f.attempts WHEN 'returned' THEN u.tries - 1 ELSE u.tries END
        FROM tare.fleet f WHERE f.name = u.fleet AND u.fleet = of_fleet AND u.unit = of_unit AND u.id IS NULL AND u.heard IS NOT NULL;
    UPDATE tare.fleet_node n SET host = NULL, taken_by = NULL WHERE n.fleet = of_fleet AND n.node = held AND NOT n.kept;
    RETURN 1;
END $$;

REVOKE EXECUTE ON FUNCTION tare.fleet_offers, tare.fleet_next, tare.fleet_take, tare.fleet_hold, tare.fleet_beat, tare.fleet_deliver, tare.fleet_fail FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tare.fleet_offers, tare.fleet_take, tare.fleet_beat, tare.fleet_deliver, tare.fleet_fail TO tare_worker;

-- ---- who else sees and changes what ----

ALTER TABLE tare.fleet ENABLE ROW LEVEL SECURITY;
ALTER TABLE tare.fleet_node ENABLE ROW LEVEL SECURITY;
ALTER TABLE tare.fleet_unit ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON tare.fleet USING (put_by = session_user);
CREATE POLICY mine ON tare.fleet_node USING (fleet IN (SELECT name FROM tare.fleet WHERE put_by = session_user));
CREATE POLICY mine ON tare.fleet_unit USING (fleet IN (SELECT name FROM tare.fleet WHERE put_by = session_user));
CREATE POLICY seen ON tare.fleet FOR SELECT USING ('*' IN (SELECT tare.mine())); -- who may see all projects
CREATE POLICY seen ON tare.fleet_node FOR SELECT USING (fleet IN (SELECT name FROM tare.fleet));
CREATE POLICY seen ON tare.fleet_unit FOR SELECT USING (fleet IN (SELECT name FROM tare.fleet));

GRANT USAGE ON SCHEMA tare TO tare_leader, tare_worker;
GRANT SELECT ON tare.version TO tare_leader, tare_worker;
GRANT SELECT ON tare.member TO tare_leader;
GRANT SELECT ON tare.fleet, tare.fleet_node, tare.fleet_unit TO tare_reader, tare_leader;
GRANT INSERT (name, plan, class, excluded, attempts, lost, timeout_s, open), UPDATE (class, excluded, attempts, lost, timeout_s, open), DELETE ON tare.fleet TO tare_leader;
GRANT INSERT (fleet, node, host, kept), UPDATE (host, taken_by, kept) ON tare.fleet_node TO tare_leader;
GRANT INSERT (fleet, unit, node, attempt), UPDATE (tries, heard, failure, id, record) ON tare.fleet_unit TO tare_leader;
