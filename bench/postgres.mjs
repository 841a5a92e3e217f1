/** A PostgreSQL server for cases: the one of `HINDCAST_TEST_POSTGRES`, or one of its own with the configuration of tests. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Effect, Exit, Scope } from "effect"
import { transform } from "esbuild"

const TESTS = fileURLToPath(new URL("../test/postgres/cluster.ts", import.meta.url))

/** Starts the server. Returns the URL of a database, and the function that ends it. */
export const startServer = async () => {
  if (process.env.HINDCAST_TEST_POSTGRES !== undefined)
    return { url: process.env.HINDCAST_TEST_POSTGRES, end: async () => {} }
  // Next to the benchmarks, so that it finds their packages.
  const built = path.join(path.dirname(fileURLToPath(import.meta.url)), `.cluster-${process.pid}.mjs`)
  const { code } = await transform(fs.readFileSync(TESTS, "utf8"), { loader: "ts", format: "esm" })
  fs.writeFileSync(built, code)
  try {
    const { ownServer } = await import(pathToFileURL(built).href)
    const scope = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(Scope.extend(ownServer(), scope))
    return { url, end: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  } finally {
    fs.rmSync(built)
  }
}

/** A client for SQL past the logs. */
export const clientOf = async (url) => {
  const { Client } = createRequire(import.meta.url)("pg")
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}
