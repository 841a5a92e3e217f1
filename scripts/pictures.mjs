/**
 * `npm run docs:pictures`: draws the pictures of Studio in a browser: the demo's story for README, and the failure of
 * `docs/tutorials/look-back.md`. Needs a build. Arguments select pictures: `npm run docs:pictures story`.
 */
import { execFile, spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { chromium } from "playwright-core"
import { fetched } from "./fetch.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const sparticuz = createRequire(path.join(fetched("test/fetched"), "pictures.js"))("@sparticuz/chromium")
const main = path.join(root, "dist", "cli", "main.js")
const pictures = path.join(root, "docs", "pictures")

/** By picture: file name, link, required content, and view. */
const PICTURES = [
  ["story", "/t/main/fix-1/@36?pane=why", ".effects", { width: 1280, height: 760, scheme: "light" }],
  ["tasks", "/tasks", ".task-line", { width: 1440, height: 760, scheme: "light" }],
  ["debugger", "/t/main/task-0015/@1024?pane=why", ".effects", { width: 1440, height: 860, scheme: "light" }],
  ["debugger-dark", "/t/main/task-0015/@1044?pane=rewards", ".rewards", { width: 1440, height: 860, scheme: "dark" }],
  ["narrow", "/t/main/task-0015/@1029", ".state .value", { width: 390, height: 844, scheme: "light" }],
]

/** Arguments of the demo that writes a picture's log. */
const demoOf = (name) => (name === "story" ? "demo" : "demo --tasks 23 --seed 7")

const wanted = process.argv.slice(2)
const chosen = PICTURES.filter(([name]) => wanted.length === 0 || wanted.includes(name))
const directory = await fs.mkdtemp(path.join(os.tmpdir(), "hindcast-pictures-"))
const browser = await chromium.launch({ executablePath: await sparticuz.executablePath(), args: ["--no-sandbox"] })

/** Draws pictures of a demo's log. */
const draw = async (demo, drawn) => {
  const log = path.join(await fs.mkdtemp(path.join(directory, "log-")), "demo.db")
  await promisify(execFile)(process.execPath, [main, ...demo.split(" "), "--log", log])
  const studio = spawn(process.execPath, [main, "studio", "--log", log, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const [line] = await new Promise((resolve) =>
    readline.createInterface({ input: studio.stdout }).once("line", (...lines) => resolve(lines)),
  )
  const { url } = JSON.parse(line)
  for (const [name, link, ready, { width, height, scheme }] of drawn) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme })
    // The overview below the lanes appears after counting the whole log. A conversation has no lanes.
    const counted = link.startsWith("/t/main/task-")
      ? page.waitForResponse((answer) => answer.url().includes("/api/density"))
      : null
    await page.goto(url.replace("/#", `${link}#`))
    await page.locator(ready).first().waitFor()
    await (await counted)?.finished()
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await page.screenshot({ path: path.join(pictures, `${name}.png`) })
    await page.close()
    console.log(`docs/pictures/${name}.png`)
  }
  studio.kill("SIGINT")
}

try {
  await fs.mkdir(pictures, { recursive: true })
  for (const demo of new Set(chosen.map(([name]) => demoOf(name)))) {
    await draw(
      demo,
      chosen.filter(([name]) => demoOf(name) === demo),
    )
  }
} finally {
  await browser.close()
  await fs.rm(directory, { recursive: true, force: true })
}
