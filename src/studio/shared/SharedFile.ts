/**
 * One HTML document with the page and its data about some tasks (`wire/Shared`). It opens from disk and offline; its
 * policy forbids all network access.
 */

import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { gunzipSync } from "node:zlib"
import { Data, Effect, Either, Option, Schema } from "effect"
import { markup } from "../../values/Markup.ts"
import * as PageFiles from "../server/PageFiles.ts"
import { APP, QUESTION, questionOf } from "../wire/Shared.ts"
import * as SharedAnswers from "./SharedAnswers.ts"

export class PageMissing extends Data.TaggedError("PageMissing")<{ readonly directory: string }> {
  override get message() {
    return `${this.directory}: expected the files of Studio's page, found none. \`npm run build\` creates them.`
  }
}

/** Marks every such document. */
const MARK = '<meta name="generator" content="hindcast export studio">'

export const isShared = (html: string): boolean => html.slice(0, 4096).includes(MARK)

/**
 * The last position of a task in a document, or undefined if the document does not show the task. The document is
 * untrusted.
 */
export const endOf = (html: string, { timeline, task }: SharedAnswers.SharedTask): number | undefined => {
  const tag = `<template ${QUESTION}="${escaped(questionOf("course", { timeline, task }))}">`
  const from = html.indexOf(tag)
  if (from < 0) return undefined
  const packed = html.slice(from + tag.length, html.indexOf("<", from + tag.length))
  const course = Either.try(() =>
    gunzipSync(Buffer.from(packed, "base64"), { maxOutputLength: MAX_UNPACKED }).toString(),
  )
  const read = Option.flatMap(Either.getRight(course), Schema.decodeOption(Schema.parseJson(Positions)))
  // Positions are stored as differences.
  return Option.getOrUndefined(Option.map(read, ({ positions }) => positions.reduce((sum, step) => sum + step, 0)))
}

const Positions = Schema.Struct({ positions: Schema.Array(Schema.NonNegativeInt) })

/** Maximum unpacked bytes of a course. */
const MAX_UNPACKED = 256 * 1024 * 1024

export const document = (options: SharedAnswers.SharedOptions) =>
  Effect.gen(function* () {
    const { answers, start, title, events } = yield* SharedAnswers.collect(options)
    const templates = Array.from(
      answers,
      ([question, answer]) => `<template ${QUESTION}="${escaped(question)}">${answer}</template>\n`,
    )
    const body = `<body data-start="${escaped(start)}"><div id="studio"></div>\n`
    return { html: yield* page({ title, body: [body, ...templates].join("") }), events }
  })

/**
 * The page without answers, for a host that shows it in a frame and passes it what to show (`MCP Apps`). Its policy is
 * that of a shared file.
 */
export const app: Effect.Effect<string, PageMissing> = Effect.suspend(() =>
  page({ title: "Hindcast Studio", body: `<body ${APP}><div id="studio"></div>\n` }),
)

const page = ({ title, body }: { readonly title: string; readonly body: string }) =>
  Effect.gen(function* () {
    const [script, style] = yield* Effect.all([file("shared.js"), file("studio.css")])
    const policy = [
      "default-src 'none'",
      `script-src '${hashOf(script)}'`,
      `style-src '${hashOf(style)}'`,
      ...["img-src data:", "base-uri 'none'", "form-action 'none'"],
    ].join("; ")
    return [
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">${MARK}`,
      `<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">`,
      `<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">`,
      `<meta name="referrer" content="no-referrer"><title>${escaped(title)}</title><link rel="icon" href="data:,">`,
      `<style>${style}</style></head>${body}`,
      `<script type="module">${script}</script></body></html>\n`,
    ].join("")
  })

const file = (name: string): Effect.Effect<string, PageMissing> =>
  Effect.suspend(() => {
    const directory = PageFiles.directory() ?? "this bundle"
    return Effect.tryPromise({
      try: () => fs.readFile(path.join(directory, name), "utf8"),
      catch: () => new PageMissing({ directory }),
    })
  })

const escaped = (text: string): string => markup`${text}`.source

const hashOf = (text: string): string => `sha256-${createHash("sha256").update(text).digest("base64")}`
