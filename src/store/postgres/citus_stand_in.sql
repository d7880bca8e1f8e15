-- Test stand-in for Citus on a plain PostgreSQL: the functions that distribute tables, with the checks and the metadata
-- of Citus. No row is moved.
SET allow_system_table_mods = on;

CREATE TABLE pg_catalog.pg_dist_partition (
  logicalrelid regclass NOT NULL PRIMARY KEY, partmethod "char" NOT NULL, partkey text, colocationid oid);
GRANT SELECT ON pg_catalog.pg_dist_partition TO PUBLIC;

-- Placements of the shards of merchants: 32 shards on 4 workers. All rows are on this server.
CREATE TABLE pg_catalog.pg_dist_placement (
  placementid bigint NOT NULL PRIMARY KEY, shardid bigint NOT NULL, shardstate int NOT NULL, shardlength bigint NOT NULL,
  groupid int NOT NULL);
INSERT INTO pg_catalog.pg_dist_placement SELECT n + 1, 102008 + n, 1, 0, n % 4 + 1 FROM generate_series(0, 31) n;
GRANT SELECT ON pg_catalog.pg_dist_placement TO PUBLIC;

CREATE FUNCTION pg_catalog.get_shard_id_for_distribution_column(table_name regclass, distribution_value bigint)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN 102008 + (hashint8(distribution_value) & 31);
END $$;

-- Checks for both kinds of tables.
CREATE FUNCTION pg_catalog.stand_in_refuse(of regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = of) THEN
    RAISE 'table "%" is already distributed', of;
  END IF;
  IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND of IN (conrelid, confrelid)) THEN
    RAISE 'cannot create foreign key constraint on "%"', of;
  END IF;
  IF EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = of AND NOT tgisinternal) THEN
    RAISE 'triggers are not supported on "%"', of;
  END IF;
END $$;

CREATE FUNCTION pg_catalog.create_distributed_table(
  table_name regclass, distribution_column text, distribution_type text DEFAULT 'hash',
  colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  spreading pg_attribute;
  indexed text;
BEGIN
  PERFORM stand_in_refuse(table_name);
  SELECT * INTO spreading FROM pg_attribute
   WHERE attrelid = table_name AND attname = distribution_column AND NOT attisdropped;
  IF NOT FOUND THEN
    RAISE 'column "%" of relation "%" does not exist', distribution_column, table_name;
  END IF;
  IF NOT spreading.attnotnull THEN  -- Citus would reject the row
    RAISE 'the partition column of table "%" may be NULL', table_name;
  END IF;
  SELECT i.indexrelid::regclass::text INTO indexed FROM pg_index i
   WHERE i.indrelid = table_name AND (i.indisunique OR i.indisexclusion)
     AND NOT spreading.attnum = ANY (i.indkey::int2[]);
  IF FOUND THEN
    RAISE 'cannot create constraint on "%"', table_name
      USING DETAIL = 'Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include '
                     'the partition column: ' || indexed;
  END IF;
  IF colocate_with NOT IN ('default', 'none') THEN
    PERFORM 1 FROM pg_dist_partition p JOIN pg_attribute a ON a.attrelid = p.logicalrelid AND a.attname = p.partkey
      WHERE p.logicalrelid = colocate_with::regclass AND p.partmethod = 'h' AND a.atttypid = spreading.atttypid;
    IF NOT FOUND THEN
      RAISE 'cannot colocate tables % and %', colocate_with, table_name;
    END IF;
  END IF;
  INSERT INTO pg_dist_partition VALUES (table_name, 'h', distribution_column,
    CASE WHEN colocate_with = 'none' THEN table_name ELSE colocate_with::regclass END);
END $$;

CREATE FUNCTION pg_catalog.create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM stand_in_refuse(table_name);
  INSERT INTO pg_dist_partition VALUES (table_name, 'n', NULL, NULL);
END $$;
