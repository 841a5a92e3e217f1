/**
 * Studio on a log of 1,000,000 events in 10,000 tasks: its requests, the first screen without an index, jumps, and the
 * page in a browser.
 */
import * as path from "node:path"
import { Effect, Schedule } from "effect"
import { EventLog } from "../../dist/index.js"
import { history } from "../history.mjs"
import { median, quantile, timed } from "../measure.mjs"
import { bare, firstContent, launch, studioOf } from "../page.mjs"

const TASKS = 10_000

/** Number of visited chunks. */
const JUMPS = 500

export async function* run(directory, _rounds, say) {
  const filename = path.join(directory, "studio.db")
  say("recording 1,000,000 events")
  await record(filename)
  say("opening it in a process of its own")
  const studio = await studioOf(filename)
  try {
    const begun = performance.now()
    const { head } = await studio.get("/api/log")
    const { rows } = await studio.get("/api/tasks?order=worst&limit=50")
    const [first] = rows
    await studio.get(`/api/task?task=${first.id}`)
    await studio.get(`/api/course?task=${first.id}`)
    await studio.get(`/api/chunk?task=${first.id}&number=0`)
    yield limited("Studio, 1,000,000 events: first screen without an index", performance.now() - begun, 1_000)

    say(`going to ${JUMPS} chunks of it while the index is built`)
    const ofTimeline = []
    const ofTasks = []
    for (let index = 1; index <= JUMPS; index++) {
      // Spreads over the log in no order: multiples of the golden ratio.
      const at = 1 + Math.floor(head * ((index * 0.618_033_988_75) % 1))
      ofTimeline.push(await timed(() => studio.get(`/api/chunk?at=${at}`)))
      const { task } = await studio.get(`/api/locate?moment=@${at}`)
      ofTasks.push(await timed(() => studio.get(`/api/chunk?task=${task}&at=${at}`)))
    }
    yield limited("a chunk of the timeline anywhere, 95 of 100", quantile(ofTimeline, 0.95), 150)
    yield limited("a chunk of a task anywhere, 95 of 100", quantile(ofTasks, 0.95), 150)

    say("waiting for the index")
    const indexed = await timed(async () => {
      for (;;) {
        const info = await studio.get("/api/log")
        if (info.indexed === head) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    })
    yield limited("the index, after all that", indexed, 5_000)
    const density = await timed(() => studio.get(`/api/density?from=1&to=${head}&bins=1000`))
    yield limited("the density of all of it, from the index", density, 150)

    say("waiting for the index of words")
    const words = await timed(async () => {
      for (;;) {
        const { coverage } = await studio.get("/api/search?text=lamp&limit=1")
        if (coverage.withoutIndex !== null)
          throw new Error(`expected an index of words, found none: ${coverage.withoutIndex}`)
        if (coverage.position === coverage.head) return
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    })
    yield limited("the index of words, in the background", words, 600_000)

    say("looking at it in a browser")
    yield* inBrowser(studio.url, head, filename, say)
  } finally {
    studio.end()
  }
}

/** Number of timed steps and jumps, and of steps before the page's memory is measured. */
const TIMED = 300
const STEPS = 10_000

/** Frames of one scroll. */
const FRAMES = 240

/** Openings of the first screen, each in turn with the bare page. */
const OPENINGS = 7

/** Texts that are searched for: rare and frequent words, phrases, beginnings of words, and a word that no event has. */
const TEXTS = [
  "lamp",
  "cellar locked",
  '"do not break anything"',
  "walk*",
  "brass lamp hall",
  "clock",
  "nowhere-to-be-found",
]

/** From the Enter of a search until its first hits, or that there are none, are drawn. */
const searched = async (page) => {
  const measured = []
  for (const text of TEXTS) {
    await page.goto(new URL(`/search?text=${encodeURIComponent("zzz")}`, page.url()).href)
    const input = page.locator(".search input[type=search]")
    await input.fill(text)
    await page
      .getByText(/No event|no hits|nothing/i)
      .first()
      .waitFor()
    measured.push(
      await page.evaluate(`(async () => {
        const begun = performance.now()
        document.querySelector(".search form").requestSubmit()
        const isDrawn = () => document.querySelector(".found li") !== null || !/searching|zzz/.test(document.querySelector(".search .sentence").textContent)
        do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
        while (!isDrawn())
        return performance.now() - begun
      })()`),
    )
  }
  return measured
}

/** The page in Chromium: from a key or link to the frame with the moved playhead. */
async function* inBrowser(url, head, filename, say) {
  const [browser, floor] = [await launch(), await bare()]
  try {
    const [first, bareFirst] = [[], []]
    for (let round = 0; round < OPENINGS; round++) {
      bareFirst.push(await firstContent(browser, floor.url, ".line"))
      first.push(await firstContent(browser, url.replace("/#", "/tasks#"), ".task-line"))
    }
    const bareMs = median(bareFirst)
    const besideBare = (what, ours, value) => ({
      ...limited(what, ours, value),
      ...{ floor: bareMs, ratio: ours / bareMs, floorIs: "a bare page of the same size" },
    })
    yield besideBare("in the browser: the list of tasks is drawn", median(first), 1_000)

    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(url.replace("/#", "/tasks#"))
    await page.locator(".task-line").first().waitFor()
    const searches = await searched(page)
    yield besideBare(
      "in the browser: the first hits of a search are drawn, the slowest of 7",
      Math.max(...searches),
      500,
    )
    const visit = async (link, at) => {
      await page.goto(url.replace(/\/#.*/, link))
      await page.locator(`.track[aria-valuenow="${at}"]`).waitFor()
    }
    await visit(`/l/main/@${Math.floor(head / 2)}`, Math.floor(head / 2))
    await page.locator(".event.here .line").waitFor()
    say("pressing keys")
    const steps = await page.evaluate(`(${PRESSED})(${TIMED})`)
    yield limited("a key to the next event, painted, median", quantile(steps, 0.5), 16)
    yield limited("a key to the next event, painted, 95 of 100", quantile(steps, 0.95), 50)
    const jumps = await page.evaluate(`(${JUMPED})(${TIMED})`)
    yield limited("a jump to any event, painted, 95 of 100", quantile(jumps, 0.95), 150)
    const frames = await page.evaluate(`(${SCROLLED})(${FRAMES})`)
    yield limited("a frame while the list of events scrolls, median", quantile(frames, 0.5), 17)
    yield limited("a frame while the list of events scrolls, 95 of 100", quantile(frames, 0.95), 20)
    say(`taking ${STEPS.toLocaleString("en")} steps`)
    await page.evaluate(`(${PRESSED})(${STEPS})`)
    yield {
      what: "memory of the page after 10,000 steps",
      unit: "MB",
      ours: await page.evaluate("(gc(), performance.memory.usedJSHeapSize / 1e6)"),
      bound: { at: "most", value: 200, of: "ours" },
    }
    say("pressing keys while events arrive")
    const live = await whileLive(page, visit, { head, filename })
    yield limited("a key while 200 events/s arrive, painted, 95 of 100", quantile(live.steps, 0.95), 50)
    yield {
      what: `events that the page has of ${LIVE.events} that arrived meanwhile`,
      unit: "events",
      ours: live.has,
      bound: { at: "least", value: LIVE.events, of: "ours" },
    }
  } finally {
    await browser.close()
    floor.end()
  }
}

/** Another process appends while keys are pressed: events, rate per second, and events per commit. */
const LIVE = { events: 2_000, perSecond: 200, atOnce: 10 }

const whileLive = async (page, visit, { head, filename }) => {
  await visit(`/l/main/@${Math.floor(head / 3)}`, Math.floor(head / 3))
  await page.locator(".event.here .line").waitFor()
  let isDone = false
  const appended = arriving(filename).finally(() => {
    isDone = true
  })
  const steps = []
  while (!isDone) steps.push(...(await page.evaluate(`(${PRESSED})(50)`)))
  await appended
  const end = head + LIVE.events
  await page.locator(`.track[aria-valuemax="${end}"]`).waitFor()
  await page.keyboard.press("End")
  await page.locator(`.track[aria-valuenow="${end}"]`).waitFor()
  await page.locator(".event.here .line").waitFor()
  // Takes one step back per event it has.
  let has = 0
  for (; has < LIVE.events; has++) {
    await page.evaluate(`(${PRESSED})(1, "p")`)
    const at = Number(await page.locator(".track").getAttribute("aria-valuenow"))
    if (at !== end - has - 1) break
  }
  return { steps, has }
}

/** Appends events over a connection of its own. */
const arriving = (filename) =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        const note = { type: "NoteAdded", payload: { about: "task/live", text: "It is still going on." } }
        const events = Array.from({ length: LIVE.atOnce }, () => note)
        const append = log.append({ stream: "notes", actor: "human:ada", events })
        const times = LIVE.events / LIVE.atOnce - 1
        yield* Effect.repeat(
          append,
          Schedule.addDelay(Schedule.recurs(times), () => 1_000 / (LIVE.perSecond / LIVE.atOnce)),
        )
      }),
      EventLog.layerSqlite({ filename }),
    ),
  )

// Runs in the page.

const PRESSED = `async (times, key = "n") => {
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const measured = []
  for (let step = 1; step <= times; step++) {
    // A person's key comes at any moment of a frame, not always at its beginning: spread over 16 ms by the golden ratio's multiples.
    await new Promise((resolve) => setTimeout(resolve, 16 * ((step * 0.61803398875) % 1)))
    const begun = performance.now()
    dispatchEvent(new KeyboardEvent("keydown", { key }))
    await painted()
    measured.push(performance.now() - begun)
  }
  return measured
}`

const JUMPED = `async (times) => {
  const track = document.querySelector(".track")
  const measured = []
  for (let jump = 1; jump <= times; jump++) {
    const { left, width } = track.getBoundingClientRect()
    const clientX = left + width * ((jump * 0.61803398875) % 1)
    const begun = performance.now()
    track.dispatchEvent(new PointerEvent("pointerdown", { clientX, pointerId: 1, bubbles: true }))
    do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    while (document.querySelector(".event.here .line") === null)
    measured.push(performance.now() - begun)
  }
  return measured
}`

const SCROLLED = `async (times) => {
  const box = document.querySelector(".events")
  const measured = []
  let last = await new Promise((resolve) => requestAnimationFrame(resolve))
  for (let frame = 0; frame < times; frame++) {
    box.scrollTop += 60
    const now = await new Promise((resolve) => requestAnimationFrame(resolve))
    measured.push(now - last)
    last = now
  }
  return measured
}`

const limited = (what, ours, value) => ({ what, unit: "ms", ours, bound: { at: "most", value, of: "ours" } })

const record = (filename) =>
  Effect.runPromise(
    Effect.provide(
      Effect.gen(function* () {
        const log = yield* EventLog.EventLog
        for (const requests of history(TASKS)) {
          yield* Effect.all(
            requests.map((request) => log.append(request)),
            { concurrency: "unbounded", discard: true },
          )
        }
      }),
      EventLog.layerSqlite({ filename }),
    ),
  )
