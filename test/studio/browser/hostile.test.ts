import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import type { Json } from "../../../src/values/Json.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { open } from "./watching.ts"
import { append, deep, EVIL, opening, reading, serving, UNSEEN } from "./writing.ts"

let browser: OwnBrowser
let directory: string
beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-studio-"))
})
afterAll(async () => {
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

describe("names that a log made up", () => {
  /** An event of each kind that names something, all by a text that would like to be more than a text. */
  const named = (task: string): ReadonlyArray<CoreNewEvent> => {
    const digest = "0".repeat(64)
    const verdict = { scoreSetId: "set", measure: EVIL, name: EVIL, weight: 1, rationale: EVIL }
    return [
      opening(EVIL),
      reading({ [EVIL]: 1 }, `${EVIL}/view`),
      reading({ [EVIL]: 2 }, `${EVIL}/view`),
      { type: "DecisionMade", payload: { agent: `${EVIL}@1`, choice: { act: EVIL, args: {} }, rationale: EVIL } },
      { type: "InputReceived", payload: { source: EVIL, content: EVIL } },
      { type: "MessageSent", payload: { content: EVIL, format: "text" } },
      { type: "SensorFailed", payload: { sensor: `${EVIL}/view`, error: { code: EVIL, message: EVIL } } },
      { type: "TaskClosed", payload: { outcome: "failed", reason: EVIL } },
      {
        type: "ScoringStarted",
        payload: {
          scoreSetId: "set",
          taskIds: [task],
          rubric: { name: EVIL },
          rubricDigest: digest,
          label: EVIL,
          critic: EVIL,
          criticDigest: digest,
          range: { from: 1, to: 8 },
        },
      },
      { type: "PunishmentGiven", payload: { ...verdict, amount: 1, because: [3] } },
      {
        type: "ScoringFinished",
        payload: { scoreSetId: "set", totals: { [task]: { earned: 0, lost: 1, net: -1, unscored: 0 } } },
      },
    ]
  }

  /** Characters of the page's texts and labels that are invisible, or change what is beside them. */
  const HIDDEN = `[...document.querySelectorAll("*")].flatMap((element) => [
    ...["title", "aria-label", "aria-valuetext", "placeholder", "label"].map((name) => element.getAttribute(name) ?? ""),
    ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data),
  ]).filter((text) => /[\\p{Cf}\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]/u.test(text)).map((text) => JSON.stringify(text.slice(0, 80)))`

  it("are shown as they are, with what is invisible in them spelled out, on each screen", async () => {
    const file = path.join(directory, "named.db")
    const [one, other] = [`${EVIL}1`, `${EVIL}2`]
    await append(file, one, named(one))
    await append(file, other, named(other))
    const release = { plugin: EVIL, version: EVIL, digest: "0".repeat(64), source: EVIL }
    await append(file, one, [
      { type: "PluginImported", payload: { ...release, manifest: { name: EVIL }, grants: { read: [EVIL] } } },
      {
        type: "PluginExited",
        payload: { plugin: EVIL, instance: "kernel", pid: 1, code: 1, signal: null, inFlight: [EVIL], reason: EVIL },
      },
    ])
    await serving(file, async ({ url, origin }) => {
      const { page, said, dialogs, abroad } = await open(browser.browser, url)
      const task = `/t/main/${encodeURIComponent(one)}/@3`
      const vs = encodeURIComponent(`main/${other}`)
      const query = encodeURIComponent(EVIL)
      for (const [link, ready] of [
        ...([
          ["/tasks?by=agent", ".task-line"],
          ["/plugins", "article"],
          [`/search?text=${encodeURIComponent("onerror")}`, ".found li"],
          [`/search?text=${query}`, ".sentence"],
          [`/tasks?where=${query}`, ".problem"],
          [`${task}?vs=${vs}`, ".pair .type"],
          [`/t/main/${query}`, ".notice"],
          [`/nowhere?${query}`, ".lost"],
        ] as const),
        ...["event", "why", "rewards", "value", "diff"].map(
          (pane) => [`${task}?pane=${pane}&path=/tasks/${query}1/readings`, ".event.here"] as const,
        ),
        [`${task}?view=conversation`, ".items > .here"],
      ]) {
        await page.goto(origin + link)
        await page.locator(ready).first().waitFor()
        await expect.poll(() => page.locator(".skeleton").count()).toBe(0)
        expect(await page.evaluate(HIDDEN), link).toEqual([])
        expect(await overflow(page), link).toBeLessThanOrEqual(0)
      }
      for (const key of ["x", "u", "y"]) {
        await page.keyboard.press(key)
        await page.locator("dialog[open]").waitFor()
        expect(await page.evaluate(HIDDEN), key).toEqual([])
        await page.keyboard.press("Escape")
      }
      expect(await page.locator("img, script:not([src])").count()).toBe(0)
      // What is not there is refused by the server, which the browser notes.
      const errors = said.filter((line) => !line.startsWith("Failed to load resource"))
      expect({ errors, dialogs, abroad }).toEqual({ errors: [], dialogs: [], abroad: [] })
    })
  })
})

describe("what was said in a task", () => {
  it("is text, whoever says it and however long, wide and deep it is", async () => {
    const file = path.join(directory, "hostile-talk.db")
    const argsDigest = "0".repeat(64)
    const usage = { inputTokens: 1, outputTokens: Number.MAX_SAFE_INTEGER }
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`${EVIL}${key}`, EVIL]))
    const call = (args: Json) => ({ type: "call", callId: EVIL, tool: EVIL, args })
    const answers: ReadonlyArray<Json> = [
      { parts: [{ type: "text", text: EVIL }, { type: "reasoning", text: EVIL }, call({ [EVIL]: deep(150) })] },
      { parts: [{ type: "text", text: "x".repeat(1_000_000) }] },
      ...[{ parts: [call(wide)] }, { parts: [null, 1, EVIL, { type: EVIL }, { type: "text", text: [EVIL] }] }, EVIL],
    ]
    const said: ReadonlyArray<CoreNewEvent> = [
      { type: "InputReceived", payload: { source: EVIL, content: EVIL, delivery: "steering" } },
      {
        type: "InputReceived",
        payload: { source: "chat", content: [{ type: EVIL }, { mediaType: EVIL }, { text: EVIL }] },
      },
      { type: "InputReceived", payload: { source: "chat", content: `${EVIL}\n`.repeat(200) } },
      ...answers.flatMap((response): ReadonlyArray<CoreNewEvent> => {
        const id = crypto.randomUUID()
        const request = { provider: EVIL, model: EVIL, requestDigest: argsDigest, request: {} }
        return [
          { id, type: "ModelCalled", payload: request },
          { type: "ModelResponded", causationId: id, payload: { response, usage, latencyMs: 1 } },
        ]
      }),
      { type: "ModelFailed", payload: { kind: "refused", reason: EVIL, latencyMs: 1 } },
      { type: "MessageSent", payload: { content: EVIL, format: "markdown" } },
      {
        type: "ActuatorCommanded",
        payload: {
          commandId: "c",
          actuator: "room/say",
          args: { [EVIL]: EVIL },
          argsDigest,
          priority: 0,
          callId: EVIL,
        },
      },
      { type: "CommandDenied", payload: { commandId: "c", rule: "never", reason: EVIL } },
    ]
    await append(file, "talk", [opening(EVIL)], said)
    const last = said.length + 1
    await serving(file, async ({ url }) => {
      const watched = await open(browser.browser, url.replace("/#", `/t/main/talk/@${last}?view=conversation#`))
      const { page, dialogs, abroad } = watched
      let shown = ""
      // Only what is visible is drawn: go from the end to the beginning.
      for (let step = 0; step <= said.length; step++) {
        await page.locator(".items > .here").waitFor()
        for (const summary of await page.locator(".items > .here summary").all()) await summary.click()
        shown += await page.locator("body").textContent()
        await page.keyboard.press("p")
      }
      // No direction is turned, and nothing is hidden.
      expect(shown).not.toMatch(UNSEEN)
      expect(shown).toContain("\\u{202e}gnp.")
      expect(await page.locator("img, script:not([src])").count()).toBe(0)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
      expect({ said: watched.said, dialogs, abroad }).toEqual({ said: [], dialogs: [], abroad: [] })
    })
  })
})
