import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as readline from "node:readline"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Authority from "../../../src/record/proxy/Authority.ts"
import { document, hindcast, playLostKey, start } from "../../cli/hindcast.ts"
import { launchProtected, type OwnBrowser } from "../../e2e/chromium.ts"
import { overflow } from "../../e2e/legibility.ts"
import { inRepository } from "../../repository.ts"
import { hashOf, PASSWORDS } from "../team/given.ts"
import { violationsInBothSchemes } from "./accessibility.ts"

let browser: OwnBrowser
let directory: string
let child: ChildProcess
let ended: Promise<unknown>
let told: { readonly [field: string]: unknown }
let origin: string
let certificate: string
let task: string
const at = (name: string) => path.join(directory, name)

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer()
    server.listen(0, "127.0.0.1", () => {
      const found = server.address()
      server.close(() => resolve(typeof found === "object" && found !== null ? found.port : 0))
    })
  })

const share = (change: object = {}) => ({
  listen: { address: "127.0.0.1", port: Number(new URL(origin).port) },
  origins: [origin],
  tls: { certificate: "cert.pem", key: "key.pem" },
  accounts: "accounts.yaml",
  roles: [
    { accounts: ["ada"], may: ["see", "answer", "write"] },
    { groups: ["readers"], may: ["see"] },
  ],
  logs: [
    { id: "key", file: "key.db" },
    { id: "letter", file: "letter.db" },
    { id: "private", file: "private.db", roles: ["write"] },
  ],
  accessRecord: "access.jsonl",
  ...change,
})

beforeAll(async () => {
  browser = await launchProtected()
  directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-team-")))
  await playLostKey(at("key.db"))
  fs.copyFileSync(at("key.db"), at("private.db"))
  fs.writeFileSync(at("letter.db"), "This is a letter, and no log at all. ".repeat(20))
  const [first] = (await document(["task", "ls", "--log", at("key.db")])).tasks as ReadonlyArray<{
    readonly id: string
  }>
  task = first?.id ?? ""
  const accounts = [
    { name: "ada", password: await hashOf(PASSWORDS.ada) },
    { name: "bob", password: await hashOf(PASSWORDS.bob), groups: ["readers"] },
  ]
  fs.writeFileSync(at("accounts.yaml"), JSON.stringify({ accounts }), { mode: 0o600 })
  const authority = await Authority.make()
  const { key, cert } = authority.certified("localhost")
  certificate = authority.certificate
  fs.writeFileSync(at("key.pem"), key, { mode: 0o600 })
  fs.writeFileSync(at("cert.pem"), cert)
  origin = `https://localhost:${await freePort()}`
  fs.writeFileSync(at("share.yaml"), JSON.stringify(share()))
  const started = start(["studio", "--share", at("share.yaml"), "--trust-log", "--json"])
  child = started.child
  ended = started.ended
  if (started.child.stdout === null) throw new Error("expected an output, found none")
  const lines = readline.createInterface({ input: started.child.stdout })
  told = JSON.parse(
    await Promise.race([
      new Promise<string>((resolve) => lines.once("line", resolve)),
      started.ended.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ]),
  )
}, 120_000)
afterAll(async () => {
  child?.kill("SIGINT")
  await ended
  await browser?.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const opened = async (address: string, width = 1440) => {
  const context = await browser.browser.newContext({ ignoreHTTPSErrors: true, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const said: Array<string> = []
  page.on("console", (message) => said.push(message.text()))
  page.on("pageerror", (error) => said.push(error.message))
  await page.goto(`${origin}${address}`)
  return { context, page, said }
}

const signIn = async (page: Page, account: "ada" | "bob") => {
  await page.getByLabel("Account").waitFor()
  await page.keyboard.type(account)
  await page.keyboard.press("Tab")
  await page.keyboard.type(PASSWORDS[account])
  await page.keyboard.press("Enter")
}

describe("a shared Studio in a browser", () => {
  it("says which logs it opened, and where it listens", () => {
    expect(told).toMatchObject({
      urls: [origin],
      address: "127.0.0.1",
      logs: [
        { id: "key", open: true },
        { id: "letter", open: false },
        { id: "private", open: true },
      ],
    })
  })

  it("asks for a password, by keyboard alone, says what is wrong, and leads to the address that was asked for", async () => {
    const { page, context, said } = await opened(`/logs/key/t/main/${task}`)
    await page.getByRole("heading", { name: "Sign in to Studio" }).waitFor()
    expect(await page.evaluate("document.activeElement.name")).toBe("account")
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.keyboard.type("ada")
    await page.keyboard.press("Tab")
    await page.keyboard.type("not her password")
    await page.keyboard.press("Enter")
    await page.getByText("This is not the name of an account with its password.").waitFor()
    expect(await page.evaluate("document.activeElement.name + document.activeElement.value")).toBe("password")
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.keyboard.type(PASSWORDS.ada)
    await page.keyboard.press("Enter")
    await page.getByTitle("Your account").waitFor()
    expect(await page.getByTitle("Your account").textContent()).toBe("ada")
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/logs/key/t/main/${task}`))
    expect(await page.evaluate("document.cookie")).toBe("")
    await page.locator("h1").waitFor()
    expect(await violationsInBothSchemes(page)).toEqual([])
    const link = page.getByTitle("All tasks of this log")
    expect(await link.getAttribute("href")).toBe("/logs/key/tasks")
    await link.click()
    await page.getByText(task).first().waitFor()
    await page.reload()
    await page.getByTitle("Your account").waitFor()
    // The refused attempt is all that the browser reports.
    expect(said.filter((text) => !text.includes("401"))).toEqual([])
    await page.getByRole("button", { name: "sign out" }).click()
    await page.getByRole("heading", { name: "Sign in to Studio" }).waitFor()
    await page.goBack()
    await page.getByRole("heading", { name: "Sign in to Studio" }).waitFor()
    await context.close()
  })

  for (const width of [390, 1440]) {
    it(`shows people the logs and the actions that are theirs (${width} px)`, async () => {
      const { page, context } = await opened("/", width)
      await page.getByLabel("Account").waitFor()
      expect(await overflow(page)).toBe(0)
      await signIn(page, "bob")
      await page.getByRole("heading", { name: "Logs" }).waitFor()
      expect(await page.locator(".logs a").allTextContents()).toEqual(["key", "letter"])
      expect(await page.locator(".logs").textContent()).toContain("it could not be opened")
      expect(await violationsInBothSchemes(page)).toEqual([])
      expect(await overflow(page)).toBe(0)
      await page.goto(`${origin}/logs/letter/`)
      await page.getByText("expected a log that can be opened").waitFor()
      await page.goto(`${origin}/logs/private/`)
      await page.getByRole("heading", { name: "You may not see this log" }).waitFor()
      // While the task's head is on its way, the bar holds all that it can hold.
      let answer = () => {}
      const held = new Promise<void>((resolve) => {
        answer = resolve
      })
      await page.route("**/api/logs/key/course?*", async (route) => {
        await held
        await route.continue()
      })
      await page.goto(`${origin}/logs/key/t/main/${task}`)
      await page.getByTitle("Your account").waitFor()
      await page.getByRole("button", { name: "LIVE", exact: true }).waitFor()
      expect(await overflow(page)).toBe(0)
      answer()
      await page.getByRole("button", { name: "LIVE", exact: true }).waitFor({ state: "detached" })
      expect(await overflow(page)).toBe(0)
      const { allows } = (await page.evaluate(`fetch("/api/logs/key/log").then((answer) => answer.json())`)) as {
        readonly allows: object
      }
      expect(allows).toMatchObject({ answer: false, fork: false, write: false })
      await context.close()
    })
  }

  it("records who looked at what, and holds no password", () => {
    const text = fs.readFileSync(at("access.jsonl"), "utf8")
    const lines = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toContainEqual(
      expect.objectContaining({ account: "ada", action: "course", log: "key", about: { timeline: "main", task } }),
    )
    expect(lines).toContainEqual(
      expect.objectContaining({ account: "ada", action: "sign-in", refused: "WrongPassword" }),
    )
    for (const password of [...Object.values(PASSWORDS), "not her password"]) expect(text).not.toContain(password)
  })

  it("records the name of whoever scores in the log", async () => {
    const { page, context } = await opened("/logs/key/")
    await signIn(page, "ada")
    await page.getByTitle("Your account").waitFor()
    const rubric = fs.readFileSync(inRepository("examples", "rubrics", "plain.yaml"), "utf8")
    const made = await page.evaluate(
      `fetch("/api/session").then((answer) => answer.json()).then(({ csrf }) =>
        fetch("/api/logs/key/rescores", { method: "POST", headers: { "content-type": "application/json", "x-hindcast-csrf": csrf },
          body: JSON.stringify(${JSON.stringify({ rubric, tasks: [{ timeline: "main", task }] })}) }))
        .then(async (answer) => [answer.status, await answer.text()])`,
    )
    expect(made).toEqual([200, expect.stringContaining("plain")])
    const { events } = (await document(["log", "ls", "--type", "ScoringStarted", "--log", at("key.db")])) as {
      readonly events: ReadonlyArray<{ readonly actor: string }>
    }
    expect(events.at(-1)?.actor).toBe("human:ada")
    await context.close()
  })

  it("is reached over TLS alone, with the certificate of the file", async () => {
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(origin)
      const request = https.get(
        {
          host: "127.0.0.1",
          servername: hostname,
          port,
          path: "/",
          ca: certificate,
          headers: { host: `localhost:${port}` },
        },
        (response) => {
          response.resume()
          resolve(response.statusCode)
        },
      )
      request.on("error", reject)
    })
    expect(status).toBe(200)
    await expect(fetch(origin.replace("https", "http"))).rejects.toThrow()
  })
})

describe("hindcast studio --share", () => {
  const failing = async (file: string, ...args: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await hindcast(["studio", "--share", file, ...args, "--json"])
    expect(stdout).toBe("")
    return { code, ...JSON.parse(stderr).error }
  }

  it("says what to do where the file, or a file that it names, cannot be used", async () => {
    const written = (change: object) => {
      fs.writeFileSync(at("other.yaml"), JSON.stringify(share(change)))
      return at("other.yaml")
    }
    expect(await failing(at("none.yaml"))).toMatchObject({ code: 3, tag: "FileUnreadable" })
    expect(await failing(written({ tls: undefined }))).toMatchObject({ code: 1, tag: "InvalidOptions" })
    for (const [option, ...more] of [
      ["--answer"],
      ["--write"],
      ["--fork"],
      ["--port", "1"],
      ["--log", at("key.db")],
      ["--draw", "x"],
      ["--scenarios", directory],
    ]) {
      const failed = await failing(at("share.yaml"), String(option), ...more)
      expect(failed).toMatchObject({
        code: 1,
        tag: "BadInput",
        message: expect.stringContaining(`found ${option} with it`),
      })
    }
    expect(await failing(written({ accounts: "nobody.yaml" }))).toMatchObject({ code: 3, tag: "ShareFileRefused" })
    const swapped = { certificate: "key.pem", key: "cert.pem" }
    fs.chmodSync(at("cert.pem"), 0o600)
    expect(await failing(written({ tls: swapped }))).toMatchObject({ code: 1, tag: "BadInput" })
    if (process.platform !== "win32") {
      fs.chmodSync(at("cert.pem"), 0o644)
      const open = await failing(written({ tls: { certificate: "cert.pem", key: "cert.pem" } }))
      expect(open).toMatchObject({ code: 1, tag: "ShareFileRefused", message: expect.stringContaining("chmod 600") })
    }
    expect(await failing(written({ accessRecord: "." }))).toMatchObject({ code: 1, tag: "AccessRecordUnavailable" })
    expect(await failing(at("share.yaml"))).toMatchObject({ code: 1, tag: "PortUnavailable" })
  })
})
