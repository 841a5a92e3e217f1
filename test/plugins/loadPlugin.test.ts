import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { loadPlugin, type TestPlugin } from "../../src/testing.ts"
import { onDenoAlone } from "../kernel/onDenoAlone.ts"
import { workplace } from "../workplace.ts"
import { outside } from "../wrongOptions.ts"
import { bareManifest, isAlive } from "./fixtures.ts"

const place = workplace()
afterAll(place.remove)

const ENTRY = `
let turn = 0
export default {
  sensors: {
    count: () => turn,
    dice: (context) => [context.random(), context.random()],
    clock: (context) => context.now,
    settings: ({ variables, metadata }) => ({ variables, metadata }),
    wrong: () => ({ size: "large" }),
    slow: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(null))),
  },
  actuators: {
    turn: (context, { by }) => {
      for (let line = 0; line < 50; line++) context.log("turning " + line, "debug")
      console.log("turned")
      turn += by
      return turn
    },
    refuse: () => { throw Object.assign(new Error("It is stuck."), { code: "stuck" }) },
    copy: async (context, { from, to }) => {
      await context.writeFile(to, (await context.readFile(from)).toUpperCase())
      return null
    },
    ask: async (context, { command }) => {
      const { code, stdout } = await context.run(command, ["status"])
      return [code, stdout]
    },
    visit: async (context, { url }) => {
      const { status, body } = await context.fetch(url)
      return [status, body]
    },
    push: async (context, { reading }) => {
      await context.emit("wrong", reading)
      return null
    },
    work: async (context) => {
      context.progress(0.5)
      return null
    },
  },
  environment: {
    reset: (_context, options) => { turn = options.start ?? 0 },
    state: () => ({ turn }),
  },
}
`

const sensors = ["count", "dice", "clock", "slow"].map((name) => ({ name, description: "d" }))
const actuators = ["refuse", "copy", "ask", "visit", "push", "work"].map((name) => ({ name, description: "d" }))

const manifest = {
  ...bareManifest,
  permissions: { read: ["."], write: ["."], run: ["git"], net: ["example.org"] },
  peas: {
    ...bareManifest.peas,
    environment: { name: "A wheel", description: "It turns.", scenario: "start.yaml" },
    sensors: [
      ...sensors,
      { name: "settings", description: "d", metadata: { unit: "turns" } },
      {
        name: "wrong",
        description: "d",
        reading: { type: "object", properties: { size: { type: "integer" } }, required: ["size"] },
      },
    ],
    actuators: [
      ...actuators,
      {
        name: "turn",
        description: "d",
        args: {
          type: "object",
          properties: { by: { type: "integer" } },
          required: ["by"],
          additionalProperties: false,
        },
        result: { type: "integer", maximum: 10 },
      },
    ],
  },
  variables: [{ key: "wood", value: "oak" }],
}

const directory = place.file("wheel")

let plugin: TestPlugin
beforeAll(async () => {
  await fs.mkdir(directory)
  await fs.writeFile(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
  await fs.writeFile(path.join(directory, "main.ts"), ENTRY)
  await fs.writeFile(path.join(directory, "start.yaml"), "start: 3\n")
  plugin = await loadPlugin(directory, {
    consent: "flags",
    workspace: { "notes/a.txt": "hello" },
    answers: {
      run: (_command, args) => {
        if (args[0] === "status") return { stdout: "clean" }
        throw new Error("unknown")
      },
      fetch: () => {
        throw Object.assign(new Error("the line is dead"), { code: "Down" })
      },
    },
    seed: 7,
    now: 1_000,
  })
})
afterAll(() => plugin.close())

describe("loadPlugin's options", () => {
  it("are refused before anything is started", async () => {
    const wrong = { answers: { exec: () => ({}) }, sandbox: "none", now: Number.NaN, workspce: "." }
    await expect(loadPlugin("nowhere", outside(wrong))).rejects.toMatchObject({
      _tag: "InvalidOptions",
      problems: [
        { path: "workspce", nearest: "workspace" },
        { path: "answers.exec" },
        { path: "now" },
        { path: "sandbox" },
      ],
    })
  })
})

describe("loadPlugin", () => {
  it("reads sensors, with the seed, the time, the variables and the metadata that the test knows", async () => {
    expect(await plugin.read("clock")).toBe(1_000)
    expect(await plugin.read("settings")).toEqual({ variables: { wood: "oak" }, metadata: { unit: "turns" } })
    const again = await loadPlugin(directory, { seed: 7, consent: "flags" })
    expect(await again.read("dice")).toEqual(await plugin.read("dice"))
    await again.close()
  })

  it("resets the environment by the manifest's scenario, or as the test says; commands change its state", async () => {
    expect(await plugin.reset()).toEqual({ turn: 3 })
    expect(await plugin.act("turn", { by: 2 })).toBe(5)
    expect(plugin.state).toEqual({ turn: 5 })
    expect(await plugin.reset({ start: 1 })).toEqual({ turn: 1 })
    expect(await plugin.read("count")).toBe(1)
  })

  it("keeps what was logged and printed before a call was answered, in order", async () => {
    await plugin.reset({})
    await plugin.act("turn", { by: 1 })
    const lines = plugin.logs.slice(-51)
    expect(lines.slice(0, 50)).toEqual(
      Array.from({ length: 50 }, (_, line) => ({ level: "debug", message: `turning ${line}` })),
    )
    expect(lines[50]).toEqual({ level: "info", message: "turned" })
  })

  it("rejects with what the plugin threw", async () => {
    await expect(plugin.act("refuse")).rejects.toMatchObject({
      _tag: "CallFailed",
      error: { code: "stuck", message: "It is stuck." },
    })
    await expect(plugin.read("nothing")).rejects.toMatchObject({ error: { code: "NoSuchComponent" } })
  })

  it("holds arguments, readings and results to the manifest's schemas, and names the path", async () => {
    await plugin.reset({ start: 9 })
    await expect(plugin.act("turn", { by: "2" })).rejects.toMatchObject({
      _tag: "CallFailed",
      error: { code: "ArgumentsInvalid", message: 'args.by: expected integer, found "2"' },
    })
    expect(await plugin.read("count")).toBe(9)
    await expect(plugin.read("wrong")).rejects.toMatchObject({
      _tag: "AnswerInvalid",
      reason: 'reading.size: expected integer, found "large"',
    })
    await expect(plugin.act("turn", { by: 5 })).rejects.toMatchObject({
      _tag: "AnswerInvalid",
      reason: "result: expected a value <= 10, found 14",
    })
    // What the command did is done, whatever it answered.
    expect(plugin.state).toEqual({ turn: 14 })
  })

  it("lets files through to the workspace, and notes what was asked and answered", async () => {
    const before = plugin.brokered.length
    await plugin.act("copy", { from: "notes/a.txt", to: "notes/b.txt" })
    expect(await fs.readFile(path.join(plugin.workspace, "notes", "b.txt"), "utf8")).toBe("HELLO")
    expect(plugin.brokered.slice(before)).toEqual([
      { method: "readFile", params: { path: "notes/a.txt" }, answer: "hello" },
      { method: "writeFile", params: { path: "notes/b.txt", content: "HELLO" }, answer: null },
    ])
    await expect(plugin.act("copy", { from: "gone.txt", to: "b" })).rejects.toMatchObject({ _tag: "CallFailed" })
    expect(plugin.brokered.at(-1)).toMatchObject({ method: "readFile", error: { message: expect.any(String) } })
  })

  it("answers commands and requests by the test's script, where the manifest asks for them", async () => {
    expect(await plugin.act("ask", { command: "git" })).toEqual([0, "clean"])
    expect(plugin.brokered.at(-1)).toEqual({
      method: "run",
      params: { command: "git", args: ["status"] },
      answer: { code: 0, signal: null, stdout: "clean", stderr: "" },
    })
    await expect(plugin.act("visit", { url: "https://example.org/a" })).rejects.toMatchObject({
      error: { code: "Down", message: "the line is dead" },
    })
  })

  it("refuses what the manifest does not ask for as the host would, script or not", async () => {
    await expect(plugin.act("ask", { command: "rm" })).rejects.toMatchObject({ error: { code: "RunNotGranted" } })
    await expect(plugin.act("visit", { url: "https://example.com/" })).rejects.toMatchObject({
      error: { code: "NetNotGranted" },
    })
  })

  it("takes pushed readings that fit their schema, and refuses the others to the plugin", async () => {
    await plugin.act("push", { reading: { size: 4 } })
    expect(plugin.pushed).toEqual([{ sensor: "wrong", reading: { size: 4 } }])
    await expect(plugin.act("push", { reading: { size: "4" } })).rejects.toMatchObject({
      error: { message: 'reading.size: expected integer, found "4"' },
    })
    expect(plugin.pushed).toHaveLength(1)
  })

  it("tells progress, ends a call that takes too long, and cancels one by a signal", async () => {
    const told: Array<unknown> = []
    await plugin.act("work", {}, { onProgress: (progress) => told.push(progress) })
    expect(told).toEqual([0.5])
    await expect(plugin.read("slow", { timeoutMs: 50 })).rejects.toMatchObject({ _tag: "CallTimedOut", afterMs: 50 })
    const controller = new AbortController()
    const reading = plugin.read("slow", { signal: controller.signal })
    controller.abort(new Error("enough"))
    await expect(reading).rejects.toThrow("enough")
    expect(await plugin.read("clock")).toBe(1_000)
  })

  it("ends the process and removes what was temporary when it is closed", async () => {
    const other = await loadPlugin(directory, { consent: "flags" })
    const started = other.events.find((event) => event.type === "PluginStarted")
    const pid = Number(started?.payload.pid)
    expect(isAlive(pid)).toBe(true)
    await other[Symbol.asyncDispose]()
    expect(isAlive(pid)).toBe(false)
    await expect(fs.stat(other.workspace)).rejects.toMatchObject({ code: "ENOENT" })
    await expect(other.read("clock")).rejects.toMatchObject({ _tag: "PluginExited" })
  })

  it("uses a directory of the test as it stands, and leaves it", async () => {
    const workspace = place.file("own")
    await fs.mkdir(workspace)
    await fs.writeFile(path.join(workspace, "a"), "x")
    {
      await using other = await loadPlugin(directory, { workspace, consent: "flags" })
      await other.act("copy", { from: "a", to: "b" })
    }
    expect(await fs.readFile(path.join(workspace, "b"), "utf8")).toBe("X")
  })

  it("rejects with all that is wrong with the manifest, and with what the entry threw", async () => {
    const bad = place.file("bad")
    await fs.mkdir(bad)
    await fs.writeFile(path.join(bad, "looper-plugin.json"), JSON.stringify({ ...bareManifest, version: 1 }))
    await fs.writeFile(path.join(bad, "main.ts"), "throw new Error('not today')")
    await expect(loadPlugin(bad)).rejects.toMatchObject({ _tag: "ManifestInvalid" })
    await fs.writeFile(path.join(bad, "looper-plugin.json"), JSON.stringify(bareManifest))
    expect(await unconsented(bad)).toMatchObject({
      _tag: "SandboxConsentMissing",
      message: expect.stringContaining('say so in its test: `loadPlugin(directory, { consent: "flags" })`.'),
    })
    await expect(loadPlugin(bad, { consent: "flags" })).rejects.toThrow(/not today/)
  })
})

/** Why a plugin is not loaded where nobody consents and nothing but Deno confines it. */
const unconsented = (directory: string) =>
  Effect.zipRight(
    onDenoAlone,
    Effect.promise(() => loadPlugin(directory).catch((cause: unknown) => cause)),
  ).pipe(Effect.scoped, Effect.runPromise)
