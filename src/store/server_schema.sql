-- SPDX-License-Identifier: MIT
-- Version 1 of a history in PostgreSQL, from version 0, which has at most the table of the version (server_libpq.c, migrate).
CREATE SCHEMA IF NOT EXISTS tare;
CREATE TABLE IF NOT EXISTS tare.version (version integer NOT NULL);
DELETE FROM tare.version;
INSERT INTO tare.version VALUES (1);

-- What is done is given by the two roles, of which projects by tare.member: GRANT tare_writer TO ci; INSERT INTO tare.member VALUES ('ci', '*');
DO $$
BEGIN
    BEGIN
        CREATE ROLE tare_reader NOLOGIN;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END;
    BEGIN
        CREATE ROLE tare_writer NOLOGIN;
        GRANT tare_reader TO tare_writer;
    EXCEPTION WHEN duplicate_object THEN NULL;
    END;
END $$;
CREATE TABLE tare.member (role name NOT NULL, project text NOT NULL, PRIMARY KEY (role, project)); -- '*': all projects
-- It runs as the caller, whose search_path may name operators of his own.
CREATE FUNCTION tare.mine() RETURNS SETOF text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT m.project FROM tare.member m JOIN pg_catalog.pg_roles r ON r.rolname = m.role WHERE pg_catalog.pg_has_role(r.oid, 'MEMBER')
$$;

CREATE TABLE tare.project (
    key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE CHECK (octet_length(name) <= 65536) -- the root commit; '': not known
);
-- A session or an event: the content hash, and the first line as it is in a file.
CREATE TABLE tare.file (
    project integer NOT NULL REFERENCES tare.project,
    key bigint GENERATED ALWAYS AS IDENTITY,
    id text CHECK (id ~ '^[0-9a-f]{32}$'),
    measured timestamptz NOT NULL,
    head text NOT NULL CHECK (octet_length(head) <= 4194304),
    added timestamptz NOT NULL DEFAULT now(),
    added_by name NOT NULL DEFAULT session_user,
    PRIMARY KEY (project, id),
    UNIQUE (project, key)
);
CREATE TABLE tare.series (
    project integer NOT NULL REFERENCES tare.project,
    key bigint GENERATED ALWAYS AS IDENTITY,
    id text CHECK (id ~ '^[0-9a-f]{12}$'),
    benchmark text NOT NULL CHECK (octet_length(benchmark) BETWEEN 1 AND 65536),
    arguments text NOT NULL CHECK (octet_length(arguments) <= 65536),
    class text NOT NULL CHECK (octet_length(class) <= 65536),
    version text NOT NULL CHECK (octet_length(version) <= 65536),
    anchor text CHECK (octet_length(anchor) <= 65536),
    metric text NOT NULL CHECK (octet_length(metric) <= 65536),
    title text NOT NULL CHECK (octet_length(title) <= 65536),
    unit text NOT NULL CHECK (octet_length(unit) <= 65536),
    kind text NOT NULL,
    direction text NOT NULL,
    definition text CHECK (octet_length(definition) <= 65536),
    PRIMARY KEY (project, id),
    UNIQUE (project, key)
);
CREATE TABLE tare.result (
    measured timestamptz NOT NULL,
    series bigint NOT NULL,
    file bigint NOT NULL,
    median double precision,
    low double precision CHECK (low <= median),
    high double precision CHECK (high >= median),
    ratio double precision,
    ratio_low double precision CHECK (ratio_low <= ratio),
    ratio_high double precision CHECK (ratio_high >= ratio),
    step double precision,
    project integer NOT NULL,
    place integer NOT NULL CHECK (place >= 0), -- of its line in the file
    n integer NOT NULL CHECK (n >= 0), -- runs
    samples double precision[] CHECK (cardinality(samples) <= 200000),
    PRIMARY KEY (file, place, measured),
    FOREIGN KEY (project, series) REFERENCES tare.series (project, key),
    FOREIGN KEY (project, file) REFERENCES tare.file (project, key) ON DELETE CASCADE
) PARTITION BY RANGE (measured);
CREATE INDEX ON tare.result (series);
-- A partition is read through tare.result, whose policy holds; a right on the partition itself, as by default privileges, shows nothing.
CREATE TABLE tare.result_other PARTITION OF tare.result DEFAULT;
ALTER TABLE tare.result_other ENABLE ROW LEVEL SECURITY;

-- The partition of a month, from 2000 to 2099, by whoever writes into it first; clocks that are wrong end in result_other, and so does a month of which
-- somebody has put results there already.
CREATE FUNCTION tare.add_month(at timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET datestyle = 'ISO' SET timezone = 'UTC' AS $$
DECLARE
    first timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    name text := to_char(first, '"result_"YYYY_MM');
BEGIN
    IF first < '2000-01-01' OR first >= '2100-01-01' OR to_regclass('tare.' || name) IS NOT NULL THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(1952543333);
    LOCK TABLE tare.file, tare.series IN SHARE ROW EXCLUSIVE MODE; -- in the order of who adds a session, or both would wait for each other
    LOCK TABLE tare.result IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('CREATE TABLE IF NOT EXISTS tare.%I PARTITION OF tare.result FOR VALUES FROM (%L) TO (%L)', name,
                   first AT TIME ZONE 'UTC', (first + interval '1 month') AT TIME ZONE 'UTC');
    EXECUTE format('ALTER TABLE tare.%I ENABLE ROW LEVEL SECURITY', name);
EXCEPTION WHEN check_violation THEN NULL;
END $$;

ALTER TABLE tare.project ENABLE ROW LEVEL SECURITY;
ALTER TABLE tare.file ENABLE ROW LEVEL SECURITY;
ALTER TABLE tare.series ENABLE ROW LEVEL SECURITY;
ALTER TABLE tare.result ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON tare.project USING ('*' IN (SELECT tare.mine()) OR name IN (SELECT tare.mine()));
CREATE POLICY mine ON tare.file USING (project IN (SELECT key FROM tare.project)); -- those that are seen
CREATE POLICY mine ON tare.series USING (project IN (SELECT key FROM tare.project));
CREATE POLICY mine ON tare.result USING (project IN (SELECT key FROM tare.project));

REVOKE EXECUTE ON FUNCTION tare.add_month FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tare.add_month TO tare_writer;
GRANT USAGE ON SCHEMA tare TO tare_reader;
GRANT SELECT ON tare.version, tare.member, tare.project, tare.file, tare.series, tare.result TO tare_reader;
-- By columns: keys, and who added what when, are the server's.
GRANT INSERT (name) ON tare.project TO tare_writer;
GRANT INSERT (project, id, measured, head) ON tare.file TO tare_writer;
GRANT INSERT (project, id, benchmark, arguments, class, version, anchor, metric, title, unit, kind, direction, definition) ON tare.series TO tare_writer;
GRANT INSERT ON tare.result TO tare_writer;
