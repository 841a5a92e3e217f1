/** What only tests open, and is large, is no part of an installation: the first test that needs it fetches it (`test/fetched/package.json`). */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import * as path from "node:path"
import { inRepository } from "./repository.ts"

/**
 * The directory `node_modules` with those packages. It says on the error output what it fetches.
 *
 * @param directory whose `package.json` names them: `test/ai-sdk` has the AI SDK, `test/clients` clients of HTTP, `examples/job-queue` pg-boss, `test/sdks` all packages of providers, `test/coding-agents` coding agents, `test/mcp/reference` servers and the host of MCP Apps, `test/mcp/conformance` MCP's suite
 */
export const fetchedModules = (
  directory:
    | "test/fetched"
    | "test/ai-sdk"
    | "test/clients"
    | "test/sdks"
    | "test/coding-agents"
    | "test/mcp/reference"
    | "examples/job-queue"
    | "test/mcp/conformance" = "test/fetched",
): string => {
  const modules = known.get(directory) ?? fetch(directory)
  known.set(directory, modules)
  return modules
}

const known = new Map<string, string>()

const fetch = (directory: string): string => {
  const script = inRepository("scripts", "fetch.mjs")
  const { status, stdout } = spawnSync(process.execPath, [script, directory], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  })
  if (status !== 0) throw new Error(`${directory} could not be fetched: run \`node scripts/fetch.mjs ${directory}\``)
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
