import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { type Browser, chromium, type Page } from "playwright-core"
import { fetchedModules, requireFetched } from "../fetched.ts"
import { inRepository } from "../repository.ts"

/** What a page did beside showing itself. */
export interface Watched {
  readonly page: Page
  /** Addresses that it asked for, its own aside. */
  readonly requests: ReadonlyArray<string>
  /** What it wrote to the console, errors included. */
  readonly said: ReadonlyArray<string>
  /** Dialogs that it opened. */
  readonly dialogs: ReadonlyArray<string>
}

/** How somebody looks at a page. */
export interface Viewing {
  readonly width: number
  readonly scheme?: "light" | "dark"
}

/** A browser that opens pages from files, in a directory of its own. */
export interface Viewer {
  readonly open: (html: string, viewing: Viewing) => Promise<Watched>
  readonly close: () => Promise<void>
}

/** Chromium, for one file of tests: what was opened in it goes when it is closed. */
export interface OwnBrowser {
  readonly browser: Browser
  readonly close: () => Promise<void>
}

/**
 * Starts Chromium with all that protects pages from each other: the package's own arguments switch some of it off, so that a test of
 * origins or policies could pass or fail falsely.
 */
export const launchProtected = (): Promise<OwnBrowser> => launchWith(["--no-sandbox"])

/** The same with a process for each site, as browsers for people have by themselves, and this one, which is for programs, only if it is told to. */
export const launchIsolated = (): Promise<OwnBrowser> => launchWith(["--no-sandbox", "--site-per-process"])

/** One browser for all files of tests that a process runs, for each set of arguments. It ends with the process. */
const launched = new Map<string, Promise<Browser>>()

const launchWith = async (args: Array<string>): Promise<OwnBrowser> => {
  const known = await launched.get(args.join(" "))
  const browser = known?.isConnected() === true ? known : await launchNow(args)
  return {
    browser,
    close: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
    },
  }
}

const launchNow = async (args: Array<string>): Promise<Browser> => {
  const launching = unpacked().then((executablePath) => chromium.launch({ executablePath, args }))
  launched.set(args.join(" "), launching)
  return launching
}

/** Starts Chromium. In one process, as it would run by default here, it ends with its first page. */
export const launch = async (): Promise<Viewer> => {
  const own = await launchWith(sparticuz().args.filter((arg) => arg !== "--single-process" && arg !== "--no-zygote"))
  const { browser } = own
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-pages-"))
  let pages = 0
  return {
    open: async (html, { width, scheme = "light" }) => {
      const file = path.join(directory, `${pages++}.html`)
      fs.writeFileSync(file, html)
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: scheme })
      const [requests, said, dialogs]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
      const own = pathToFileURL(file).href
      page.on("request", (request) => {
        if (request.url() !== own) requests.push(request.url())
      })
      page.on("console", (message) => said.push(message.text()))
      page.on("pageerror", (error) => said.push(error.message))
      page.on("dialog", (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      await page.goto(own, { waitUntil: "load" })
      return { page, requests, said, dialogs }
    },
    close: async () => {
      await own.close()
      fs.rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * The browser's program, unpacked once, where no other user puts one. The package unpacks it into the directory for temporary files,
 * which is shared, and takes what it finds there: it is given another one.
 */
const unpacked = async (): Promise<string> => {
  const { version } = JSON.parse(
    fs.readFileSync(path.join(fetchedModules(), "@sparticuz", "chromium", "package.json"), "utf8"),
  )
  const place = inRepository("node_modules", ".cache", `hindcast-chromium-${version}`)
  const program = path.join(place, "chromium")
  if (fs.existsSync(program)) return program
  fs.mkdirSync(path.dirname(place), { recursive: true })
  const own = fs.mkdtempSync(`${place}-`)
  const shared = process.env.TMPDIR
  process.env.TMPDIR = own
  try {
    await sparticuz().executablePath()
  } finally {
    if (shared === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = shared
  }
  try {
    fs.renameSync(own, place)
  } catch (cause) {
    // Another process was faster, and what it unpacked is the same.
    fs.rmSync(own, { recursive: true, force: true })
    if (!fs.existsSync(program)) throw cause
  }
  return program
}

/** What is used of the package. */
interface Sparticuz {
  readonly args: ReadonlyArray<string>
  readonly executablePath: () => Promise<string>
}

const sparticuz = (): Sparticuz => requireFetched("@sparticuz/chromium")
