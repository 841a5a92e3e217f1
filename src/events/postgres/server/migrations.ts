/** The steps from each earlier format of a log's tables to the next one. */

import { wordTablesOf } from "../words/tables.ts"
import { grantFunctionOf } from "./schema.ts"

/** Statements for one transaction, by the format that they start from. They keep everything that the chain covers. */
export type Migrations = ReadonlyMap<number, (schema: string) => ReadonlyArray<string>>

/** Format 2 has an index of words for searches. */
const toFormat2 = (schema: string): ReadonlyArray<string> => [
  ...wordTablesOf(schema),
  grantFunctionOf(schema),
  // Roles keep what they may do, and may do the same with the new tables.
  `DO $$
  DECLARE
    role text;
  BEGIN
    FOR role IN SELECT DISTINCT a.grantee::regrole::text FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
      WHERE c.oid = '${schema}.events'::regclass AND a.privilege_type = 'SELECT' AND a.grantee NOT IN (0, c.relowner) LOOP
      EXECUTE 'GRANT SELECT ON ${schema}.words, ${schema}.words_reach TO ' || role;
    END LOOP;
    FOR role IN SELECT DISTINCT a.grantee::regrole::text FROM pg_catalog.pg_proc p, aclexplode(p.proacl) a
      WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname = 'append' AND a.grantee NOT IN (0, p.proowner) LOOP
      EXECUTE 'GRANT INSERT, TRUNCATE ON ${schema}.words TO ' || role;
      EXECUTE 'GRANT UPDATE ON ${schema}.words_reach TO ' || role;
    END LOOP;
  END $$`,
]

export const MIGRATIONS: Migrations = new Map([[1, toFormat2]])
