/** Studio in a real browser: a server of a log, and pages that are watched. */
import type { ChildProcess } from "node:child_process"
import * as readline from "node:readline"
import type { Browser, BrowserContext, Page, Request } from "playwright-core"
import { start } from "../../cli/hindcast.ts"

/** A server of Studio. */
export interface Serving {
  /** With the token. */
  readonly url: string
  readonly origin: string
  readonly stop: () => Promise<void>
  readonly child: ChildProcess
}

/** Starts `hindcast studio`, and waits until it listens. */
export const serve = async (log: string, ...options: ReadonlyArray<string>): Promise<Serving> => {
  const { child, ended } = start(["studio", "--log", log, "--json", ...options])
  if (child.stdout === null) throw new Error("expected an output, found none")
  const lines = readline.createInterface({ input: child.stdout })
  const first = await Promise.race([
    new Promise<string>((resolve) => lines.once("line", resolve)),
    ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ])
  const { url }: { url: string } = JSON.parse(first)
  return {
    url,
    origin: new URL(url).origin,
    child,
    stop: async () => {
      child.kill("SIGINT")
      await ended
    },
  }
}

/** What a page did beside showing itself. */
export interface Watched {
  readonly page: Page
  readonly context: BrowserContext
  /** Requests to the API, by their paths and parameters. */
  readonly asked: Array<string>
  /** Those of them without a whole answer so far. */
  readonly unanswered: ReadonlyArray<string>
  /** Requests to anything that is not the server. */
  readonly abroad: Array<string>
  /** What it wrote to the console, and its errors. */
  readonly said: Array<string>
  readonly dialogs: Array<string>
}

/** How somebody looks at a page. */
export interface Viewing {
  readonly width?: number
  readonly height?: number
  readonly scheme?: "light" | "dark"
}

/** Opens an address in a context of its own. */
export const open = async (browser: Browser, url: string, viewing: Viewing = {}): Promise<Watched> => {
  const { width = 1440, height = 900, scheme = "light" } = viewing
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme })
  return watch(context, await context.newPage(), url)
}

/** Opens an address in a page, and watches it. */
export const watch = async (context: BrowserContext, page: Page, url: string): Promise<Watched> => {
  const open = new Map<Request, string>()
  const watched: Watched = {
    ...{ page, context, asked: [], abroad: [], said: [], dialogs: [] },
    get unanswered() {
      return [...open.values()]
    },
  }
  const { origin } = new URL(url)
  page.on("request", (request) => {
    const { origin: to, pathname, search, protocol } = new URL(request.url())
    if (protocol === "data:" || protocol === "blob:") return
    if (to !== origin) watched.abroad.push(request.url())
    else if (pathname.startsWith("/api/")) {
      watched.asked.push(pathname.slice(5) + search)
      open.set(request, pathname.slice(5))
    }
  })
  page.on("requestfinished", (request) => open.delete(request))
  page.on("requestfailed", (request) => open.delete(request))
  page.on("console", (message) => watched.said.push(message.text()))
  page.on("pageerror", (error) => watched.said.push(`${error.message}\n${error.stack ?? ""}`))
  page.on("dialog", (dialog) => {
    watched.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await page.goto(url)
  return watched
}

/** Waits until the page shows a position. */
export const at = (page: Page, position: number) =>
  page.locator(`.track[aria-valuenow="${position}"]`).waitFor({ state: "visible" })

/** Types into the box and runs it. */
export const say = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press("Control+k")
  await page.keyboard.type(text)
  await page.keyboard.press("Enter")
}
