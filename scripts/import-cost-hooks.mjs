/** Module hooks of `import-cost.mjs`: they load entries unbundled, and note who imports what. */
import * as fs from "node:fs"
import { register } from "node:module"
import { fileURLToPath } from "node:url"
import { isMainThread } from "node:worker_threads"
import { transformSync } from "esbuild"
import { byPartsOfEffect } from "./parts-of-effect.mjs"

if (isMainThread) register(import.meta.url)

const dist = new URL("../dist/", import.meta.url).href

export const resolve = async (specifier, context, next) => {
  const resolved = await next(specifier, context)
  fs.appendFileSync(process.env.IMPORT_GRAPH, `${context.parentURL ?? "-"} ${resolved.url}\n`)
  return resolved
}

export const load = async (url, context, next) => {
  if (!url.startsWith(dist)) return next(url, context)
  const source = fs.readFileSync(fileURLToPath(url.replace("/dist/", "/src/").replace(/\.js$/, ".ts")), "utf8")
  const { code } = transformSync(source, {
    loader: "ts",
    target: "node20",
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  })
  return {
    format: "module",
    shortCircuit: true,
    source: byPartsOfEffect(code.replaceAll(/(from |import\(|import )"(\.{1,2}\/[^"]*)\.ts"/g, '$1"$2.js"')),
  }
}
