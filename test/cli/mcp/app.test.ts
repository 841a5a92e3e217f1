import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { MAIN } from "../../built.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { fetchedModules } from "../../fetched.ts"
import { inRepository } from "../../repository.ts"
import { workplace } from "../../workplace.ts"
import { playLostKey } from "../hindcast.ts"

// Studio within a client, as MCP's own SDK for hosts shows it: in a frame without an origin, under the policy that a host applies to a
// page that asks for no addresses.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const POLICY = [
  ...["default-src 'none'", "script-src 'self' 'unsafe-inline'", "style-src 'self' 'unsafe-inline'"],
  ...["img-src 'self' data:", "media-src 'self' data:", "connect-src 'none'"],
].join("; ")

const MIME_TYPE = "text/html;profile=mcp-app"

const place = workplace()
const log = place.file("log.db")
let client: Client
let browser: OwnBrowser
let host: string
beforeAll(async () => {
  await playLostKey(log)
  client = new Client(
    { name: "host", version: "1.0.0" },
    { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME_TYPE] } } } },
  )
  const env = { PATH: process.env.PATH ?? "" }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [MAIN, "mcp", "--log", log], env }))
  const { outputFiles } = await build({
    entryPoints: [inRepository("test", "cli", "mcp", "appHost.js")],
    nodePaths: [fetchedModules("test/mcp/reference")],
    ...{ bundle: true, write: false, format: "esm", platform: "browser", logLevel: "error" },
  })
  host = outputFiles?.[0]?.text ?? ""
  browser = await launchProtected()
})
afterAll(async () => {
  await browser?.close()
  await client?.close()
  place.remove()
})

interface Shown {
  readonly page: Page
  readonly asked: ReadonlyArray<string>
  readonly said: ReadonlyArray<string>
  /** Resources that the page read. */
  readonly read: ReadonlyArray<string>
}

/** The page in a host's frame, with a tool's result. */
const shown = async (
  result: object,
  { theme = "light", answer }: { readonly theme?: string; readonly answer?: string } = {},
): Promise<Shown> => {
  const { contents } = await client.readResource({ uri: "ui://hindcast/studio" })
  const [resource] = contents
  expect(resource).toMatchObject({ mimeType: MIME_TYPE, _meta: { ui: { csp: {} } } })
  const html = resource !== undefined && "text" in resource ? resource.text : ""
  const page = await browser.browser.newPage({ viewport: { width: 1_300, height: 900 }, colorScheme: "light" })
  const [asked, said, read]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  page.on("request", (request) => asked.push(request.url()))
  // The host's own remarks are of the kind `debug`.
  page.on("console", (message) => message.type() !== "debug" && said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  await page.exposeFunction("callServer", async (uri: string) => {
    read.push(uri)
    return answer === undefined
      ? await client.readResource({ uri })
      : { contents: [{ uri, mimeType: "application/json", text: answer }] }
  })
  await page.setContent("<!doctype html><title>Host</title><body></body>")
  await page.addScriptTag({ content: host, type: "module" })
  await page.waitForFunction(() => "showApp" in globalThis)
  await page.evaluate((given) => (globalThis as unknown as AppHost).showApp(given), {
    ...{ html, csp: POLICY, input: { task: "@14" }, result, theme },
  })
  return { page, asked, said, read }
}

interface AppHost {
  readonly showApp: (given: object) => Promise<unknown>
  readonly endApp: () => Promise<unknown>
}

const called = async (task: string) => client.callTool({ name: "show_in_studio", arguments: { task } })

describe("Studio in a client that shows MCP Apps", () => {
  it("is named by the tool, which answers other clients in words", async () => {
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === "show_in_studio")
    expect(tool?._meta).toEqual({ ui: { resourceUri: "ui://hindcast/studio" } })
    const { content, structuredContent } = await called("@14")
    expect(structuredContent).toEqual({ uri: "hindcast://task/%404/studio.json" })
    expect((content as ReadonlyArray<{ readonly text: string }>)[0]?.text).toMatch(
      /@4–@\d+ .* achieved: Find the document[\s\S]*hindcast studio TASK/,
    )
  })

  it("shows the task, steps through it by keys, and asks nothing of the network", async () => {
    const { page, asked, said, read } = await shown(await called("@14"))
    const frame = page.frameLocator("iframe")
    await frame.getByText("Find the document").first().waitFor()
    expect(read).toEqual(["hindcast://task/%404/studio.json"])
    const positionIn = async (selector: string) =>
      Number((await frame.locator(selector).first().textContent())?.slice(1))
    const row = '.event:has-text("text-room/room")'
    const before = await positionIn(`${row} .at`)
    await frame.locator(row).first().click()
    const position = () => positionIn(".at.here")
    await expect.poll(position).toBe(before)
    await page.keyboard.press("j")
    await expect.poll(position).toBe(before + 1)
    expect(asked.filter((url) => !/^(about|data|blob):/.test(url))).toEqual([])
    expect(said).toEqual([])
    // A host asks the page before it takes it away.
    expect(await page.evaluate(() => (globalThis as unknown as AppHost).endApp())).toEqual({})
    await page.close()
  })

  it("has the host's theme, whatever the system's", async () => {
    const background = async (theme: string) => {
      const { page } = await shown(await called("@14"), { theme })
      const frame = page.frameLocator("iframe")
      await frame.getByText("Find the document").first().waitFor()
      const color = await frame
        .locator("body")
        .evaluate((body) => body.ownerDocument.defaultView?.getComputedStyle(body).backgroundColor)
      await page.close()
      return color
    }
    expect(await background("dark")).not.toBe(await background("light"))
  })

  it.each([
    ["a task that is not there", () => called("@99999"), undefined, "There is no position @99999"],
    ["an answer that is no task", () => called("@14"), "nonsense", "Studio cannot show this task"],
    ["a result of another tool", async () => ({ content: [] }), undefined, "The tool found no task to show"],
  ] as const)("says so of %s", async (_, result, answer, expected) => {
    const { page } = await shown(await result(), answer === undefined ? {} : { answer })
    await page.frameLocator("iframe").getByText(expected).waitFor()
    await page.close()
  })
})
