import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as SandboxPage from "../../src/cli/pages/plugins/SandboxPage.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import { tierOf } from "../../src/plugins/sandbox/layers/Layer.ts"
import type { SandboxReport } from "../../src/plugins/sandbox/SandboxReport.ts"
import { onPath } from "../../src/plugins/sandbox/Tools.ts"
import { strongest, strongestOfFlags } from "../plugins/layers.ts"
import { start } from "./hindcast.ts"

const places: Array<string> = []
afterAll(() => places.forEach((place) => fs.rmSync(place, { recursive: true, force: true })))

/** A PATH on which there are these programs and no others. */
const pathWith = (programs: { readonly [name: string]: string }): string => {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-path-"))
  places.push(place)
  for (const [name, script] of Object.entries(programs)) {
    fs.writeFileSync(path.join(place, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
  return place
}

const doctor = (args: ReadonlyArray<string>, programs?: { readonly [name: string]: string }) =>
  start(["doctor", ...args], programs === undefined ? {} : { env: { PATH: pathWith(programs) } }).ended

const surveyed = async (args: ReadonlyArray<string>, programs?: { readonly [name: string]: string }) => {
  const { code, stdout, stderr } = await doctor([...args, "--json"], programs)
  return { code, stderr, survey: JSON.parse(stdout) as SandboxReport }
}

/** The programs themselves: layers are tried with them. */
const bounds = Object.fromEntries(
  ["setpriv", "prlimit", "nice"].map((name) => [name, `exec ${onPath(name) ?? `/usr/bin/${name}`} "$@"`]),
)

/** The layer that is left without namespaces. */
const weaker = strongestOfFlags

describe("doctor", () => {
  it("says which tier is in effect, why, and by which programs", async () => {
    const { code, survey } = await surveyed([])
    expect(code).toBe(0)
    expect(survey).toMatchObject({ tier: tierOf(strongest), layer: strongest })
    expect(survey.programs.map(({ name }) => name)).toEqual([
      "deno",
      "bwrap",
      "unshare",
      "mount",
      "setpriv",
      "prlimit",
      "nice",
    ])
    expect(survey.programs[0]).toMatchObject({
      path: expect.stringMatching(/deno/),
      version: expect.stringMatching(/^deno 2/),
      install: "npm install deno",
    })
    const { stdout } = await doctor([])
    expect(stdout).toContain(`Sandbox: ${tierOf(strongest)} on`)
    expect(stdout).toContain("Limits of a process: heap 128 MiB")
  })

  it("without bubblewrap the flags tier is in effect, with the command that improves it", async () => {
    const { code, survey } = await surveyed([], bounds)
    expect(code).toBe(0)
    expect(survey).toMatchObject({ tier: "flags", layer: weaker })
    expect(survey.why).toContain("bwrap is not on the PATH; unshare, mount are not on the PATH")
    expect(survey.improve).toContain("apt-get install bubblewrap")
    expect(survey.programs[1]).toMatchObject({ path: null, version: null })
  })

  it("a bubblewrap that does not work is not taken for one that does", async () => {
    const bwrap =
      'test "$1" = --version && echo bubblewrap 0.8.0 && exit; echo "bwrap: No permissions to create new namespace" >&2; exit 1'
    const { survey } = await surveyed([], { ...bounds, bwrap })
    expect(survey).toMatchObject({ tier: "flags", layer: weaker })
    expect(survey.why).toContain("does not work here (bwrap: No permissions to create new namespace)")
    expect(survey.improve).toContain("unprivileged user namespaces")
  })

  it("an unshare that makes namespaces in which nothing can be mounted is a refusal, as on Ubuntu 24.04", async () => {
    const unshare = 'echo "mount: permission denied" >&2; exit 1'
    const { survey } = await surveyed([], { ...bounds, unshare, mount: "exit 1" })
    expect(survey).toMatchObject({ tier: "flags", layer: weaker })
    expect(survey.why).toContain("unshare is installed but does not work here (mount: permission denied)")
    const required = await surveyed(["--sandbox", "namespaces"], { ...bounds, unshare, mount: "exit 1" })
    expect(required).toMatchObject({ code: 1, survey: { tier: null, layer: null } })
  })

  it("what is required and missing is an error that says what to install, and nothing less is taken", async () => {
    const missing = await surveyed(["--sandbox", "namespaces"], bounds)
    expect(missing).toMatchObject({ code: 1, survey: { tier: null, wanted: "namespaces" } })
    expect(JSON.parse(missing.stderr)).toMatchObject({
      error: { tag: "NoSandbox", message: expect.stringContaining("apt-get install bubblewrap") },
    })
    const bare = await surveyed(["--sandbox", "flags"], {})
    expect(bare).toMatchObject({ code: 1, survey: { tier: null } })
    expect(bare.survey.improve).toContain("apt-get install util-linux coreutils")
    const weaker = await surveyed([], {})
    expect(weaker).toMatchObject({ code: 0, survey: { tier: "flags" } })
    expect(weaker.survey.why).toContain("setpriv, prlimit, nice are not on the PATH, so some limits do not apply")
  })

  it("a run that requires what is missing does not begin", async () => {
    const log = path.join(pathWith({}), "log.db")
    const agent = path.join(path.dirname(log), "agent.mjs")
    fs.writeFileSync(agent, `export default { name: "a", version: "1", decide: () => ({ done: true }) }`)
    const run = start(["run", "--agent", agent, "--goal", "x", "--log", log, "--sandbox", "namespaces", "--json"], {
      env: { PATH: pathWith(bounds) },
    })
    const { code, stderr } = await run.ended
    expect(code).toBe(1)
    expect(stderr).toContain("SandboxUnavailable")
    expect(stderr).toContain("apt-get install bubblewrap")
  })

  it("the page has one line for each program, and says what is missing", () => {
    const survey: SandboxReport = {
      platform: "linux-x64",
      wanted: "auto",
      tier: "flags",
      layer: "none",
      why: "no bubblewrap",
      improve: "Install it.",
      programs: [{ name: "bwrap", path: null, version: null, does: "confines", install: "apt-get install bubblewrap" }],
      limits: { heapMiB: 1, memoryMiB: 2, wasmPages: 3, descriptors: 4, niceness: 5 },
    }
    expect(SandboxPage.lines(Style.plain, survey)).toEqual([
      "Sandbox: flags on linux-x64, layer none",
      "  why      no bubblewrap",
      "  improve  Install it.",
      "",
      "program  found    version                       what it does",
      "bwrap    missing  `apt-get install bubblewrap`  confines",
      "",
      "Limits of a process: heap 1 MiB, other memory 2 MiB, WebAssembly 3 pages, 4 descriptors, niceness 5",
    ])
  })
})
