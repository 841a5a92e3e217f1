/** Configuration of the documentation site. `scripts/docs.mjs` stages the pages and writes `site.json`. */
import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { slug } from "./slug.mjs"

const { title, description, sidebar, version, commands, outDir } = JSON.parse(
  readFileSync(new URL("site.json", import.meta.url), "utf8"),
)

export default defineConfig({
  title,
  description,
  lang: "en-GB",
  lastUpdated: false,
  vite: { build: { chunkSizeWarningLimit: 4096 } },
  outDir,
  // No picture of its own: without this, browsers ask for one.
  head: [["link", { rel: "icon", href: "data:," }]],
  // The API reference is a site of its own under /api/, made by TypeDoc after this build.
  ignoreDeadLinks: [/^\/api\//],
  markdown: {
    anchor: { slugify: slug },
    toc: { slugify: slug },
    // `agent.py` is a file, not a host in Paraguay.
    linkify: false,
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    languageAlias: { console: "shellsession" },
    config: (md) => {
      // Vue takes braces in a span of code for an expression of its own.
      const { code_inline: rendered } = md.renderer.rules
      md.renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet("v-pre", "")
        // A line does not break within short code, such as `--dry-run`.
        if (/^(?:\S{1,28}|.{1,20})$/.test(tokens[index].content)) tokens[index].attrJoin("class", "whole")
        return rendered(tokens, index, ...rest)
      }
    },
  },
  themeConfig: {
    nav: [
      { text: "Tutorials", link: "/tutorials/first-recording", activeMatch: "^/tutorials/" },
      { text: "All pages", link: "/overview", activeMatch: "^/overview" },
      { text: "Commands", link: commands },
      { text: "API", link: "/api/index.html", target: "_self" },
      { text: version, link: "/project/changelog" },
    ],
    sidebar,
    outline: { level: [2, 3] },
    docFooter: { prev: false, next: false },
    search: {
      provider: "local",
      options: {
        miniSearch: {
          options: {
            // A reader types a question; short words only add noise. The browser gets this function as text, so it
            // holds all that it needs.
            processTerm: (term) => {
              const noise =
                "a an and are can did do does for from how i if in is it my of on or s the this to was what when where which why with you"
              const word = term.toLowerCase()
              return noise.split(" ").includes(word) ? null : word
            },
          },
          searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 6, titles: 3, text: 1 } },
        },
      },
    },
  },
})
