/** The steps from each earlier format of a log's tables to the next one. */

import { wordTablesOf } from "../words/tables.ts"
import { appendFunctionsOf, grantFunctionOf } from "./schema.ts"

/** Statements for one transaction, by the format that they start from. They keep everything that the chain covers. */
export type Migrations = ReadonlyMap<number, (schema: string) => ReadonlyArray<string>>

/** Format 2 appends single events by a function of their own. */
const toFormat2 = (schema: string): ReadonlyArray<string> => [
  `DROP FUNCTION ${schema}.append`,
  ...appendFunctionsOf(schema),
  grantFunctionOf(schema),
  `REVOKE ALL ON FUNCTION ${schema}.append, ${schema}.append_event FROM PUBLIC`,
  granting(writersOf(schema), `EXECUTE ON FUNCTION ${schema}.append, ${schema}.append_event`),
]

/** Format 3 has an index of words for searches. */
const toFormat3 = (schema: string): ReadonlyArray<string> => [
  ...wordTablesOf(schema),
  grantFunctionOf(schema),
  granting(readersOf(schema), `SELECT ON ${schema}.words, ${schema}.words_reach`),
  granting(writersOf(schema), `INSERT, TRUNCATE ON ${schema}.words`, `UPDATE ON ${schema}.words_reach`),
]

/** The roles that may read, the writers too. */
const readersOf = (schema: string): string =>
  `SELECT DISTINCT a.grantee::regrole::text FROM pg_catalog.pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = '${schema}.events'::regclass AND a.privilege_type = 'SELECT' AND a.grantee NOT IN (0, c.relowner)`

/** The roles that may append. */
const writersOf = (schema: string): string =>
  `SELECT DISTINCT a.grantee::regrole::text FROM pg_catalog.pg_proc p, aclexplode(p.proacl) a
    WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname = 'locked' AND a.grantee NOT IN (0, p.proowner)`

/** Roles keep what they may do, and may do the same with new tables and functions. */
const granting = (roles: string, ...rights: ReadonlyArray<string>): string =>
  `DO $$
  DECLARE
    role text;
  BEGIN
    FOR role IN ${roles} LOOP
      ${rights.map((right) => `EXECUTE 'GRANT ${right} TO ' || role;`).join("\n      ")}
    END LOOP;
  END $$`

/** Each log can be upgraded from any of these formats, step by step. */
export const MIGRATIONS: Migrations = new Map([
  [1, toFormat2],
  [2, toFormat3],
])
