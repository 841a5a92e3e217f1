/** The documentation site, built as `npm run docs` builds it, in a real browser. */
import { spawn } from "node:child_process"
import * as readline from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launchProtected, type OwnBrowser } from "../e2e/chromium.ts"
import { overflow } from "../e2e/legibility.ts"
import { inRepository } from "../repository.ts"
import { open } from "../studio/browser/watching.ts"

/** Everyday questions, each with the pages that answer it. */
const QUESTIONS: ReadonlyArray<readonly [question: string, ...pages: ReadonlyArray<string>]> = [
  ["compare two models", "guides/compare-scorings"],
  ["delete a person's data", "guides/delete-personal-data"],
  ["why did this task fail", "guides/why-it-failed"],
  ["use zod", "guides/give-an-agent-tools"],
  ["run it in Docker", "guides/run-in-docker"],
  ["what does it promise after a crash", "explanation/durability"],
  ["record a Python agent", "guides/record-any-program", "tutorials/first-recording"],
  ["gate Claude Code", "guides/gate-a-coding-agent"],
  ["replay in CI", "guides/replay-in-a-test"],
  ["cost per model", "guides/limit-an-agent", "guides/compare-scorings"],
  ["keep API keys out of a log", "guides/keep-keys-out"],
  ["undo what an agent did to files", "guides/get-files-back"],
  ["limit what an agent may do", "guides/approve-an-agent"],
]

/** One page of each kind: front, tutorial, guide, wide tables, long reference. */
const PAGES = [
  "",
  "overview",
  "tutorials/first-recording",
  "guides/gate-a-coding-agent",
  "guides/compare-scorings",
  "reference/commands",
  "reference/events",
  "explanation/threat-model",
  "project/architecture",
  "project/changelog",
]

const FIRST = 3

/** Counts the tables that are wider than their page. It runs in the browser. */
const WIDE_TABLES = `[...document.querySelectorAll("table")].filter((one) => one.scrollWidth > one.clientWidth).length`

let server: { readonly address: string; readonly stop: () => Promise<void> }
let own: OwnBrowser

/** Builds the site and serves it on a free port; rejects with the build's output if it fails. */
const serve = async (): Promise<typeof server> => {
  const child = spawn(process.execPath, [inRepository("scripts", "docs.mjs"), "--serve", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  const address = await Promise.race([
    new Promise<string>((resolve) => readline.createInterface({ input: child.stdout }).once("line", resolve)),
    ended.then(() => Promise.reject(new Error(`expected a served site, found: ${said}`))),
  ])
  return {
    address,
    stop: () => {
      child.kill("SIGTERM")
      return ended
    },
  }
}

beforeAll(async () => {
  ;[server, own] = await Promise.all([serve(), launchProtected()])
}, 900_000)

afterAll(async () => {
  await own?.close()
  await server?.stop()
})

/** Types a question into the search box of a fresh page, and returns the pages of the first results, in order. */
const resultsOf = async (question: string): Promise<ReadonlyArray<string>> => {
  const { page, context } = await open(own.browser, server.address)
  await page.locator("button.DocSearch-Button").first().click()
  await page.locator(".VPLocalSearchBox input").fill(question)
  const results = page.locator(".VPLocalSearchBox a.result")
  await results.first().waitFor()
  const links = await results.evaluateAll((found) => found.map((one) => one.getAttribute("href") ?? ""))
  await context.close()
  return links.slice(0, FIRST).map((link) => link.replace(/^\//, "").replace(/(?:\.html)?(?:#.*)?$/, ""))
}

describe("the documentation site", () => {
  for (const width of [390, 1440])
    for (const scheme of ["light", "dark"] as const)
      it(`fits a ${scheme} window of ${width} pixels, and asks nothing of other servers`, {
        timeout: 300_000,
      }, async () => {
        for (const name of PAGES) {
          const { page, context, abroad, said } = await open(own.browser, `${server.address}${name}`, { width, scheme })
          await page.locator("h1").first().waitFor()
          // On a wide screen, no table scrolls.
          const tables = width < 1000 ? 0 : await page.evaluate(WIDE_TABLES)
          const dark = await page.evaluate("document.documentElement.classList.contains('dark')")
          expect({ name, wider: await overflow(page), tables, dark, abroad, said }).toEqual({
            name,
            wider: 0,
            tables: 0,
            dark: scheme === "dark",
            abroad: [],
            said: [],
          })
          await context.close()
        }
      })

  it.each(QUESTIONS)(
    "finds the answer to %j among its first results",
    { timeout: 60_000 },
    async (question, ...pages) => {
      const found = await resultsOf(question)
      expect(found).toHaveLength(FIRST)
      expect(
        pages.some((page) => found.includes(page)),
        `expected ${pages.join(" or ")}, found ${found.join(", ")}`,
      ).toBe(true)
    },
  )

  it("finds nothing for a word that no page has", { timeout: 60_000 }, async () => {
    const { page, context } = await open(own.browser, server.address)
    await page.locator("button.DocSearch-Button").first().click()
    await page.locator(".VPLocalSearchBox input").fill("qqzxjkwv")
    await page.locator(".VPLocalSearchBox .no-results").waitFor()
    await context.close()
  })
})
