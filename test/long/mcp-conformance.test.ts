import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { playLostKey } from "../cli/hindcast.ts"
import { fetchedModules } from "../fetched.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

/** MCP's conformance suite, pinned in `test/mcp/conformance`. It needs Node 22; what it tests runs on this Node. */

const place = workplace()
afterAll(place.remove)

/** A Node that runs the suite. */
const nodeOf = (modules: string): string => {
  if (Number(process.versions.node.split(".")[0]) >= 22) return process.execPath
  const node = path.join(modules, `node-${process.platform}-${process.arch}`, "bin", "node")
  if (!fs.existsSync(node))
    throw new Error(`expected a Node 22 at ${node}, found none: run the suite on Node 22 or later`)
  return node
}

/** Runs a scenario; returns its output and the numbers of checks that passed and failed. */
const run = (...args: ReadonlyArray<string>) => {
  const modules = fetchedModules("test/mcp/conformance")
  const suite = path.join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
  const { status, stdout, stderr } = spawnSync(nodeOf(modules), [suite, ...args], {
    cwd: place.directory,
    encoding: "utf8",
    timeout: 110_000,
  })
  const output = `${stdout}\n${stderr}`
  const [, passed = "0", , failed = "1"] = /Passed: (\d+)\/(\d+), (\d+) failed/.exec(output) ?? []
  return { status, passed: Number(passed), failed: Number(failed), output }
}

/** A run without a passed check tested nothing. */
const expectConformance = ({ status, passed, failed, output }: ReturnType<typeof run>) => {
  expect({ status, failed }, output).toEqual({ status: 0, failed: 0 })
  expect(passed, output).toBeGreaterThan(0)
}

describe("the client of MCP plugins", () => {
  // Those about OAuth (`auth/…`) are left out: plugins have no OAuth.
  it.each([
    ...["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"],
    ...["request-metadata", "sep-2322-client-request-state", "http-standard-headers", "http-custom-headers"],
    ...["http-invalid-tool-headers", "json-schema-ref-no-deref"],
  ])("conforms in %s", (scenario) => {
    const command = `${process.execPath} ${inRepository("test", "mcp", "conformance", "client.mjs")}`
    expectConformance(run("client", "--command", command, "--scenario", scenario))
  })
})

describe("the server of a log", () => {
  let url = ""
  let stop = () => {}
  beforeAll(async () => {
    const log = place.file("log.db")
    await playLostKey(log)
    const server = spawn(process.execPath, [inRepository("test", "mcp", "conformance", "server.mjs"), log], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    stop = () => server.kill()
    const [line] = await once(readline.createInterface({ input: server.stdout }), "line")
    url = String(line)
  })
  afterAll(() => stop())

  // The other scenarios call tools, prompts and resources of fixed names, which a test server has and ours has not.
  it.each([
    ...["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "caching"],
    ...["http-header-validation", "sep-2164-resource-not-found", "input-required-result-unsupported-methods"],
  ])("conforms in %s", (scenario) => {
    expectConformance(run("server", "--url", url, "--scenario", scenario))
  })
})
