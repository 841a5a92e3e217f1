/**
 * Packs a bundle's chunks into scripts. A pack holds many chunks, each as a function that runs on demand. Loading
 * eighty modules took a fifth of a short command, and Node 20 caches compiled code of scripts only. `src/cli/Packs.ts`
 * runs them.
 */
import { createHash } from "node:crypto"
import * as path from "node:path"
import { parseAst } from "vite"

/**
 * Parameters of a chunk's function, with names that no chunk uses: other chunks now and later, Node's `import()` and
 * `require`, and the URL of a file next to the packs.
 */
const GIVEN = { chunk: "$chunk", later: "$later", module: "$module", require: "require", url: "$url" }

/** Names that chunks must not use. */
const OWN = new Set([...Object.values(GIVEN).filter((name) => name.startsWith("$")), "$default"])

/** Files below this length, in characters, take longer to read than to skip. */
const SMALL = 16_384

const PARAMETERS = Object.values(GIVEN).join(",")

/**
 * Packs chunks, which are named by their contents.
 *
 * @param chunks esbuild's text of each chunk by path: `import`s first, one list of exports
 * @param closures roots of the first packs. A pack takes everything that its roots import, except what an earlier pack
 *   has, and what other chunks need that an earlier pack loads later. Small chunks that several parts share form a
 *   pack; every other chunk is a pack of its own
 * @returns the packs' texts by name, the chunks' numbers by path, and the numbers in each pack
 */
export const packsOf = (chunks, closures) => {
  const numbers = new Map([...chunks.keys()].sort().map((file, number) => [file, number]))
  const linked = new Map([...chunks].map(([file, text]) => [file, linkedChunk(file, text, numbers)]))
  const left = new Set(numbers.keys())
  const closureOf = (roots) => {
    const closure = new Set(roots)
    for (const file of closure) for (const needed of linked.get(file).needs) closure.add(needed)
    return closure
  }
  const groups = []
  for (const roots of closures) {
    const later = groups.flat().flatMap((file) => linked.get(file).later)
    const apart = closureOf(later.filter((file) => !roots.includes(file)))
    const taken = [...closureOf(roots)].filter((file) => left.has(file) && !apart.has(file))
    for (const file of taken) left.delete(file)
    groups.push(taken.sort())
  }
  const users = new Map([...left].map((file) => [file, 0]))
  for (const entry of new Set([...linked.values()].flatMap(({ later }) => later)))
    for (const file of closureOf([entry])) if (left.has(file)) users.set(file, users.get(file) + 1)
  const isSmallShare = (file) => users.get(file) > 1 && linked.get(file).text.length < SMALL
  groups.push([...left].filter(isSmallShare), ...[...left].filter((file) => !isSmallShare(file)).map((file) => [file]))
  const texts = new Map()
  const contents = {}
  for (const files of groups) {
    const functions = files.map((file) => `${numbers.get(file)}:function(${PARAMETERS}){${linked.get(file).text}}`)
    const text = `"use strict";({${functions.join(",\n")}})\n`
    const name = `pack-${createHash("sha256").update(text).digest("hex").slice(0, 16)}.cjs`
    texts.set(name, text)
    contents[name] = files.map((file) => numbers.get(file))
  }
  return { texts, contents, numbers }
}

/**
 * Makes a program `require` Node's modules. For an `import`, Node creates a module with all exports, and loads streams
 * and Web Crypto for that.
 */
export const requiringNode = (text) => {
  const start = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0
  const module = text.slice(start)
  const imports = parseAst(module).body.filter(({ type }) => type === "ImportDeclaration")
  const required = imports.reduceRight(
    (edited, node) => edited.slice(0, node.start) + importOf(node) + edited.slice(node.end),
    module,
  )
  const require = `import{createRequire as $require}from"node:module";const ${GIVEN.require}=$require(import.meta.url);`
  return text.slice(0, start) + require + required
}

/** A chunk's module as a function body that returns its exports, with the chunks that it needs at once and later. */
const linkedChunk = (file, text, numbers) => {
  const refuse = (found) => {
    throw new Error(`${file}: expected a module as esbuild writes it, found ${found}`)
  }
  const numberOf = (specifier) => numbers.get(chunkOf(specifier))
  const tree = parseAst(text)
  const [edits, exported, needs, later] = [[], [], [], []]
  const chunkOf = (specifier) => path.posix.join(path.posix.dirname(file), specifier)
  const assigned = new Set()
  const namesIn = (node) =>
    node.type === "Identifier"
      ? [node.name]
      : Object.values(node)
          .flat()
          .flatMap((part) => (part?.type ? namesIn(part) : []))
  const replace = ({ start, end }, by) => edits.push({ start, end, by })
  const visit = (node, isTop) => {
    if (node.type === "AwaitExpression" && isTop) refuse("await outside of a function")
    if (node.type === "AssignmentExpression" && node.left.type !== "MemberExpression")
      for (const name of namesIn(node.left)) assigned.add(name)
    if (node.type === "UpdateExpression") assigned.add(node.argument.name)
    if (node.type === "Identifier" && OWN.has(node.name)) refuse(`the name ${node.name}`)
    if (node.type === "ImportExpression") {
      const number = node.source.type === "Literal" ? numberOf(node.source.value) : undefined
      if (number === undefined) replace({ start: node.start, end: node.start + "import".length }, GIVEN.module)
      else {
        later.push(chunkOf(node.source.value))
        replace(node, `${GIVEN.later}(${number})`)
      }
    }
    if (node.type === "MetaProperty" && node.meta.name === "import") {
      if (!text.startsWith("import.meta.url", node.start)) refuse(text.slice(node.start, node.end + 10))
      replace({ start: node.start, end: node.start + "import.meta.url".length }, GIVEN.url)
    }
    const isTopInside = isTop && !/Function|Method|Property|Static/.test(node.type)
    for (const child of Object.values(node).flat()) if (typeof child?.type === "string") visit(child, isTopInside)
  }
  for (const node of tree.body)
    if (node.type === "ImportDeclaration") {
      const number = numberOf(node.source.value)
      if (number === undefined && node.source.value.startsWith(".")) refuse(`an import of ${node.source.value}`)
      if (number !== undefined) needs.push(chunkOf(node.source.value))
      replace(node, importOf(node, number))
    } else if (node.type === "ExportNamedDeclaration") {
      if (node.declaration !== null || node.source !== null) refuse(text.slice(node.start, node.end))
      for (const { local, exported: as } of node.specifiers) exported.push([local.name, as.name])
      replace(node, "")
    } else if (node.type === "ExportDefaultDeclaration") {
      exported.push(["$default", "default"])
      replace({ start: node.start, end: node.declaration.start }, "const $default=")
      visit(node.declaration, true)
    } else if (node.type === "ExportAllDeclaration") refuse(text.slice(node.start, node.end))
    else visit(node, true)
  // An importer receives a value, not a binding, and would miss a later assignment.
  for (const [local] of exported) if (assigned.has(local)) refuse(`an assignment to ${local}, which it exports`)
  const body = edits
    .sort((one, other) => other.start - one.start)
    .reduce((edited, { start, end, by }) => edited.slice(0, start) + by + edited.slice(end), text)
  const members = exported.map(([local, as]) => (local === as ? as : `${as}:${local}`))
  return { text: `${body.trim()}\nreturn{${members.join(",")}}`, needs, later }
}

/** Turns an `import` into declarations. */
const importOf = ({ source, specifiers }, number) => {
  const got = number === undefined ? `${GIVEN.require}(${JSON.stringify(source.value)})` : `${GIVEN.chunk}(${number})`
  const [whole] = specifiers.filter(({ type }) => type !== "ImportSpecifier")
  const named = specifiers.filter(({ type }) => type === "ImportSpecifier")
  const members = named.map(({ imported, local }) =>
    imported.name === local.name ? local.name : `${imported.name}:${local.name}`,
  )
  if (whole === undefined) return members.length === 0 ? `${got};` : `const{${members.join(",")}}=${got};`
  const destructured = members.length === 0 ? "" : `,{${members.join(",")}}=${whole.local.name}`
  return `const ${whole.local.name}=${got}${destructured};`
}
