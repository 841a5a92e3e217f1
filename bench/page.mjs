/** A browser, Studio in a process of its own, and a bare page of the same size, which is the floor of figures about Studio's page. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import { createRequire } from "node:module"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { fetched } from "../scripts/fetch.mjs"

const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url))

const PAGE = fileURLToPath(new URL("../dist/studio/page", import.meta.url))

/** Starts Chromium as the tests do, with a garbage collection on demand. */
export const launch = async () => {
  const sparticuz = createRequire(path.join(fetched("test/fetched"), "bench.js"))("@sparticuz/chromium")
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"],
  })
}

/** Starts `hindcast studio`. `url` has the token; `get` asks the API. */
export const studioOf = async (filename) => {
  const child = spawn(process.execPath, [MAIN, "studio", "--log", filename, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const { origin, hash } = new URL(JSON.parse(line).url)
    const headers = { authorization: `Bearer ${hash.replace("#token=", "")}` }
    const get = async (asked) => {
      const response = await fetch(`${origin}${asked}`, { headers })
      if (response.status !== 200) throw new Error(`GET ${asked}: ${response.status} ${await response.text()}`)
      return response.json()
    }
    return { url: `${origin}/${hash}`, get, end: () => child.kill("SIGTERM") }
  }
  throw new Error("hindcast studio: expected an address, found its end")
}

/** Number of lines of the bare page, as many as the list of tasks has. */
const LINES = 50

/** Serves a page with a script and a style as long as Studio's, whose script only draws a list. */
export const bare = async () => {
  const sizeOf = (name) => fs.statSync(path.join(PAGE, name)).size
  const drawing = `const list = document.createElement("ol")
for (let line = 0; line < ${LINES}; line++) {
  const item = document.createElement("li")
  item.className = "line"
  item.textContent = "task " + line + ": a goal, an outcome, an agent, a score"
  list.append(item)
}
document.body.append(list)
`
  const style = "li { padding: 4px }\n"
  const files = {
    "/": [
      "text/html",
      '<!doctype html><link rel="stylesheet" href="/style.css"><script type="module" src="/bare.js"></script>',
    ],
    "/bare.js": [
      "text/javascript",
      `${drawing}globalThis.rest = "${"x".repeat(sizeOf("studio.js") - drawing.length)}"`,
    ],
    "/style.css": ["text/css", `${style}/*${"x".repeat(sizeOf("studio.css") - style.length)}*/`],
  }
  const server = http.createServer(({ url }, response) => {
    const [type, text] = files[url] ?? ["text/plain", ""]
    response.writeHead(type === "text/plain" ? 404 : 200, { "content-type": type })
    response.end(text)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() }
}

/** Milliseconds from the request of an address, in a context of its own, until something on the page is drawn. */
export const firstContent = async (browser, url, selector) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    const begun = performance.now()
    await page.goto(url, { waitUntil: "commit" })
    await page.locator(selector).first().waitFor()
    return performance.now() - begun
  } finally {
    await context.close()
  }
}
