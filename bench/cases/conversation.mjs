/** Studio's page on a conversation of 2,000 turns: opening it, and scrolling through it. */
import * as crypto from "node:crypto"
import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../../dist/index.js"
import { median, quantile } from "../measure.mjs"
import { bare, firstContent, launch, studioOf } from "../page.mjs"

const TURNS = 2_000

/** Turns in one append. */
const AT_ONCE = 50

/** Frames of one scroll. */
const FRAMES = 240

const TASK = "conversation"

export const run = async (directory, rounds, say) => {
  const filename = path.join(directory, "conversation.db")
  say(`recording a conversation of ${TURNS.toLocaleString("en")} turns`)
  await record(filename)
  const [studio, floor, browser] = [await studioOf(filename), await bare(), await launch()]
  try {
    say("opening it, in turn with a bare page")
    const link = studio.url.replace("/#", `/t/main/${TASK}?view=conversation#`)
    const [opened, cold, bareOpened] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      bareOpened.push(await firstContent(browser, floor.url, ".line"))
      cold.push(await firstContent(browser, link, ".conversation .items > li"))
      opened.push(await openedFromList(browser, studio.url))
    }
    say("scrolling through it")
    const frames = await scrolled(browser, link, ".conversation", ".conversation .items > li")
    const bareFrames = await scrolled(browser, floor.url, "html", ".line")
    const bareMs = median(bareOpened)
    const row = (what, ours, value) => ({
      ...{ what, unit: "ms", ours, floor: bareMs, ratio: ours / bareMs },
      ...{ bound: { at: "most", value, of: "ours" }, floorIs: "a bare page of the same size" },
    })
    return [
      row(`a conversation of ${TURNS.toLocaleString("en")} turns, opened from the list`, median(opened), 300),
      row("the same by its link, in a new browser context", median(cold), 1_000),
      ...[0.5, 0.95].map((part) => ({
        ...{ what: `a frame while it scrolls, ${part * 100} of 100`, unit: "ms", ours: quantile(frames, part) },
        ...{ floor: quantile(bareFrames, part), ratio: quantile(frames, part) / quantile(bareFrames, part) },
        ...{ bound: { at: "most", value: 20, of: "ours" }, floorIs: "a bare page that scrolls" },
      })),
    ]
  } finally {
    await browser.close()
    floor.end()
    studio.end()
  }
}

/** From a click on the task in the list until its conversation is drawn. */
const openedFromList = async (browser, url) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    await page.goto(url.replace("/#", "/tasks#"))
    await page.locator(".task-line a").first().waitFor()
    return await page.evaluate(`(async () => {
      const begun = performance.now()
      document.querySelector(".task-line a").click()
      do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      while (document.querySelector(".conversation .items > li") === null)
      return performance.now() - begun
    })()`)
  } finally {
    await context.close()
  }
}

/** Milliseconds of each frame while a box scrolls upwards from its end; a bare page gets the room for it. */
const scrolled = async (browser, link, box, content) => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.goto(link)
  await page.locator(content).first().waitFor()
  return page.evaluate(`(async () => {
    const box = document.querySelector("${box}")
    if (box === document.scrollingElement) {
      document.body.style.minHeight = "${FRAMES * 100}px"
      box.scrollTop = box.scrollHeight
    }
    const frames = []
    let last = await new Promise((resolve) => requestAnimationFrame(resolve))
    for (let frame = 0; frame < ${FRAMES}; frame++) {
      box.scrollTop -= 60
      const now = await new Promise((resolve) => requestAnimationFrame(resolve))
      frames.push(now - last)
      last = now
    }
    return frames
  })()`)
}

/** A request with its answer, and a call with its outcome. */
const turn = (index) => {
  const [request, command] = [crypto.randomUUID(), crypto.randomUUID()]
  const digest = "0".repeat(64)
  const commandId = `c${index}`
  const text = `In turn ${index} I read the next book, because ${"the one before named it ".repeat(index % 7)}.`
  const call = { type: "call", callId: commandId, tool: "library__read", args: { book: index } }
  const payload = { commandId, actuator: "library/read", args: { book: index }, argsDigest: digest, priority: 0 }
  return [
    {
      id: request,
      type: "ModelCalled",
      payload: { provider: "test", model: "one", requestDigest: digest, request: { messages: [] } },
    },
    {
      type: "ModelResponded",
      causationId: request,
      payload: {
        response: { parts: [{ type: "text", text }, call], finish: "calls" },
        usage: { inputTokens: 100, outputTokens: 10 },
        latencyMs: 12,
      },
    },
    { id: command, type: "ActuatorCommanded", payload: { ...payload, callId: commandId } },
    { type: "CommandAllowed", causationId: command, payload: { commandId, rule: "reading" } },
    { type: "CommandDispatched", causationId: command, payload: { commandId } },
    {
      type: "CommandSucceeded",
      causationId: command,
      payload: { commandId, result: { page: index, words: "a long way from home ".repeat(8) }, latencyMs: 3 },
    },
  ]
}

const record = (filename) =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const append = (events) => log.append({ stream: `task/${TASK}`, taskId: TASK, actor: "agent:me@1", events })
        yield* append([
          { type: "TaskOpened", payload: { goal: "Read all books", measures: [], agent: "me@1", seed: 1 } },
        ])
        for (let first = 0; first < TURNS; first += AT_ONCE)
          yield* append(Array.from({ length: AT_ONCE }, (_, index) => turn(first + index)).flat())
        yield* append([{ type: "TaskClosed", payload: { outcome: "achieved", reason: "all read" } }])
      }),
      EventLog.layerSqlite({ filename }),
    ),
  )
