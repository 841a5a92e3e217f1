/**
 * `npm run docs`: builds the documentation site into `site/out`: the pages of `docs/`, README, the project's own pages
 * and the API reference. `npm run docs -- --serve` also serves it on the loopback, on a port of your choice with
 * `--port N`; 0 finds a free one, and stdout gets the address. Fails on a dead link.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { fetched } from "./fetch.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const out = path.join(root, "site", "out")
const say = (text) => process.stderr.write(`${text}\n`)

/** Pages outside `docs/`, by path, with their place in the site. */
const OTHERS = {
  "README.md": "index.md",
  "docs/README.md": "overview.md",
  "ARCHITECTURE.md": "project/architecture.md",
  "CONTRIBUTING.md": "project/contributing.md",
  "CHANGELOG.md": "project/changelog.md",
  "packages/worlds/README.md": "packages/worlds.md",
  "packages/python/README.md": "packages/python.md",
}

const markdown = fs
  .readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((name) => `docs/${name.replaceAll(path.sep, "/")}`)
  .filter((name) => name.endsWith(".md"))

/** Each page's place in the site, by path. */
const PLACES = new Map([
  ...markdown.map((page) => [page, page.slice("docs/".length)]),
  ...Object.entries(OTHERS).filter(([page]) => fs.existsSync(path.join(root, page))),
])

/** Applies `change` to everything but code. */
const outsideCode = (text, change) =>
  text
    .split(/(^(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\2[ \t]*$|`[^`\n]*`)/m)
    // The split repeats each fence's backticks as a part.
    .reduce(
      ({ parts, skip }, part) => {
        if (skip) return { parts, skip: false }
        if (part === undefined) return { parts, skip: false }
        const code = /^(`|~~~)/.test(part)
        return { parts: [...parts, code ? part : change(part)], skip: code && /^(`{3,}|~{3,})/.test(part) }
      },
      { parts: [], skip: false },
    )
    .parts.join("")

/** A page's text for the site: links to pages lead to the site, and links to source files become plain text. */
const staged = (page) => {
  const from = path.posix.dirname(page)
  const here = path.posix.dirname(PLACES.get(page))
  const relative = (target) => {
    const found = path.posix.relative(here, target)
    return found.startsWith(".") ? found : `./${found}`
  }
  return outsideCode(fs.readFileSync(path.join(root, page), "utf8"), (text) =>
    text
      .replaceAll("{{", "&#123;&#123;")
      .replace(/(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, image, label, link) => {
        if (/^[a-z]+:|^#/.test(link)) return whole
        const [file, anchor] = link.split("#")
        const target = path.posix.normalize(path.posix.join(from, file))
        const place = PLACES.get(target)
        const tail = anchor === undefined ? "" : `#${anchor}`
        if (image !== "") return `![${label}](${relative(target.replace(/^docs\//, ""))})`
        if (place !== undefined) return `[${label}](${relative(place)}${tail})`
        if (/\.(svg|png)$/.test(target)) return `[${label}](${relative(target.replace(/^docs\//, ""))})`
        return label
      })
      // A label that is code is a part of its own: only the end of its link is here.
      .replace(/^\]\(([^)\s#]+)(#[^)\s]*)?\)/, (whole, file, anchor = "") => {
        const place = /^[a-z]+:/.test(file) ? undefined : PLACES.get(path.posix.normalize(path.posix.join(from, file)))
        return place === undefined ? whole : `](${relative(place)}${anchor})`
      }),
  )
}

/** The headings of `docs/README.md` with their links, in order. */
const sidebar = () => {
  const seen = new Set()
  const groups = []
  for (const line of fs.readFileSync(path.join(root, "docs", "README.md"), "utf8").split("\n")) {
    const heading = /^## (.*)/.exec(line)?.[1]
    if (heading !== undefined) groups.push({ text: heading, collapsed: true, items: [] })
    for (const [, label, link] of line.matchAll(/\[([^\]]+)\]\(([^)#\s]+\.md)\)/g)) {
      const page = path.posix.normalize(path.posix.join("docs", link))
      const place = PLACES.get(page)
      if (groups.length === 0 || place === undefined || seen.has(page) || !page.startsWith("docs/")) continue
      seen.add(page)
      const text = label.replaceAll("`", "")
      groups.at(-1).items.push({ text: text[0].toUpperCase() + text.slice(1), link: `/${place.replace(/\.md$/, "")}` })
    }
  }
  const own = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
  const title = (page) => page[0] + page.slice(1).replace(".md", "").toLowerCase()
  const items = own.map((page) => ({ text: title(page), link: `/${PLACES.get(page).replace(/\.md$/, "")}` }))
  return [
    {
      text: "Start here",
      items: [
        { text: "What Hindcast does", link: "/" },
        { text: "All pages", link: "/overview" },
      ],
    },
    ...groups.filter(({ items }) => items.length > 0),
    { text: "Work on Hindcast", collapsed: true, items },
  ]
}

const stage = (directory) => {
  fs.rmSync(directory, { recursive: true, force: true })
  const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(directory, name)), { recursive: true })
    fs.writeFileSync(path.join(directory, name), text)
  }
  for (const [page, place] of PLACES) if (page !== "README.md") write(place, staged(page))
  fs.cpSync(path.join(root, "docs", "pictures"), path.join(directory, "pictures"), { recursive: true })
  fs.cpSync(path.join(root, "site", "theme"), path.join(directory, ".vitepress", "theme"), { recursive: true })
  for (const name of ["config.mjs", "slug.mjs"])
    fs.copyFileSync(path.join(root, "site", name), path.join(directory, ".vitepress", name))
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))
  const [, name, sentence, rest] = /^# (.*)\n+([\s\S]*?)\n\n([\s\S]*)$/.exec(staged("README.md"))
  const hero = {
    name,
    text: sentence.replaceAll("\n", " "),
    actions: [
      { theme: "brand", text: "Record your agent", link: "/tutorials/first-recording" },
      { theme: "alt", text: "Embed the kernel", link: "/tutorials/first-agent" },
      { theme: "alt", text: "All pages", link: "/overview" },
    ],
  }
  write("index.md", `---\n${JSON.stringify({ layout: "home", hero })}\n---\n\n${rest}`)
  const commands = `/${[...PLACES.values()].find((place) => path.posix.basename(place) === "commands.md")?.replace(/\.md$/, "")}`
  const site = {
    title: name,
    description: hero.text,
    version: `v${version}`,
    sidebar: sidebar(),
    commands,
    outDir: out,
  }
  write(".vitepress/site.json", JSON.stringify(site))
}

const ENTITIES = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<", "&gt;": ">" }
const decoded = (text) => decodeURIComponent(text.replace(/&(?:amp|quot|#39|lt|gt);/g, (found) => ENTITIES[found]))

/** Links of the built site to missing files or anchors. */
const deadLinks = () => {
  const files = fs.readdirSync(out, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll(path.sep, "/"))
  const known = new Set(files)
  const texts = new Map(
    files.filter((name) => name.endsWith(".html")).map((name) => [name, fs.readFileSync(path.join(out, name), "utf8")]),
  )
  const anchors = new Map(
    [...texts].map(([name, text]) => [
      name,
      new Set([...text.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => decoded(id))),
    ]),
  )
  const dead = []
  let links = 0
  for (const [name, text] of texts) {
    for (const [, link] of text.matchAll(/<(?:a|img|link|script)\s[^>]*?(?:href|src)="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(link)) continue
      links++
      const [file, anchor] = decoded(link).split("#")
      const base =
        file === "" ? name : file.startsWith("/") ? file.slice(1) : path.posix.join(path.posix.dirname(name), file)
      const target = [base, `${base}.html`, path.posix.join(base, "index.html")].find(
        (candidate) => known.has(candidate) && !fs.statSync(path.join(out, candidate)).isDirectory(),
      )
      if (target === undefined) dead.push(`${name}: ${link} (no such file)`)
      else if (anchor && anchors.get(target)?.has(anchor) === false) dead.push(`${name}: ${link} (no such heading)`)
    }
  }
  return { dead: [...new Set(dead)], links, pages: texts.size }
}

/** The port after `--port`. */
const portOf = (words) => {
  const at = words.indexOf("--port")
  if (at < 0) return PORT
  const text = words[at + 1]
  if (text !== undefined && /^\d+$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new Error(`--port: expected a number from 0 to 65535, found ${text === undefined ? "none" : `"${text}"`}.`)
}

const PORT = 4173

/** TypeDoc prints to stderr, so that stdout holds only the address. */
const quietly = { cwd: root, stdio: ["ignore", process.stderr.fd, process.stderr.fd] }

const vitepress = async () =>
  import(pathToFileURL(path.join(fetched("site"), "vitepress", "dist", "node", "index.js")).href)

const build = async () => {
  // So does VitePress.
  console.log = console.error
  console.info = console.error
  const { build } = await vitepress()
  // Next to the fetched packages, which the compiled pages import.
  const directory = path.join(fetched("site"), "..", "site")
  stage(directory)
  say("Building the pages …")
  fs.rmSync(out, { recursive: true, force: true })
  await build(directory)
  say("Building the API reference …")
  const typedoc = path.join(root, "node_modules", "typedoc", "bin", "typedoc")
  const { status } = spawnSync(process.execPath, [typedoc], quietly)
  if (status !== 0) throw new Error("TypeDoc failed, as it says above.")
  const { dead, links, pages } = deadLinks()
  if (dead.length > 0)
    throw new Error(`${dead.length} of ${links} links lead nowhere:\n${dead.slice(0, 40).join("\n")}`)
  say(`Built ${pages} pages with ${links} links into site/out.`)
}

/** Serves the site on the loopback until the process is stopped. */
const serve = async (port) => {
  const { preview } = await import(pathToFileURL(path.join(fetched("site"), "vite", "dist", "node", "index.js")).href)
  const { httpServer } = await preview({
    root: path.dirname(out),
    configFile: false,
    logLevel: "warn",
    appType: "mpa",
    build: { outDir: out },
    preview: { host: "127.0.0.1", port, strictPort: true },
  })
  // Vite's own addresses name the port that it was asked for, 0 included.
  const address = `http://127.0.0.1:${httpServer.address().port}/`
  process.stdout.write(`${address}\n`)
  say(`Serving site/out at ${address} until you press Ctrl+C.`)
}

try {
  const words = process.argv.slice(2)
  const port = portOf(words)
  await build()
  if (words.includes("--serve")) await serve(port)
  else say("To read it, run `npm run docs -- --serve`.")
} catch (cause) {
  say(cause instanceof Error ? cause.message : String(cause))
  process.exitCode = 1
}
