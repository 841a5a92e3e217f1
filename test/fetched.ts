/** What only tests open, and is large, is no part of an installation: the first test that needs it fetches it (`test/fetched/package.json`). */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import * as path from "node:path"
import { inRepository } from "./repository.ts"

/** The directory `node_modules` with those packages. It says on the error output what it fetches. */
export const fetchedModules = (): string => {
  known ??= fetch()
  return known
}

let known: string | undefined

const fetch = (): string => {
  const script = inRepository("scripts", "fetch.mjs")
  const { status, stdout } = spawnSync(process.execPath, [script, "test/fetched"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (status !== 0) throw new Error("test/fetched could not be fetched: run `node scripts/fetch.mjs test/fetched`")
  return stdout.trim()
}

/** A package that was fetched, of the shape that its caller knows. */
export const requireFetched = <A>(name: string): A => createRequire(path.join(fetchedModules(), "tests.js"))(name)

/** What tests ask of DuckDB. */
interface DuckDB {
  readonly DuckDBInstance: {
    readonly create: (path?: string) => Promise<{
      readonly connect: () => Promise<{
        readonly runAndReadAll: (sql: string) => Promise<{
          readonly getRowObjectsJson: () => ReadonlyArray<Record<string, unknown>>
        }>
        readonly closeSync: () => void
      }>
      readonly closeSync: () => void
    }>
  }
}

export const duckdb = (): DuckDB => requireFetched("@duckdb/node-api")
