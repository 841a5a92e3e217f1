/**
 * One HTML document with the page and its data about some tasks (`wire/Shared`). It opens from disk and offline; its
 * policy forbids all network access.
 */

import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { Data, Effect, Either, Option, Schema } from "effect"
import { markup } from "../../values/Markup.ts"
import * as Chunks from "../answers/Chunks.ts"
import * as Log from "../answers/Log.ts"
import * as Rewards from "../answers/Rewards.ts"
import * as Tasks from "../answers/Tasks.ts"
import * as Verdicts from "../answers/Verdicts.ts"
import * as PageFiles from "../server/PageFiles.ts"
import { CHUNK } from "../wire/CourseSlice.ts"
import type { LogInfo } from "../wire/Log.ts"
import { QUESTION, questionOf } from "../wire/Shared.ts"
import type { TaskHead, TaskList } from "../wire/Task.ts"

export interface SharedTask {
  readonly timeline: string
  readonly task: string
}

/** The shared tasks, and where the reader begins. */
export interface SharedOptions {
  /** At least one. */
  readonly tasks: ReadonlyArray<SharedTask>
  /** A position in the first task. Default: its worst moment, else its end. */
  readonly at?: number
  /** Sentences for the reader, such as that personal data was left out. */
  readonly notes: ReadonlyArray<string>
}

export class SharedFileTooLarge extends Data.TaggedError("SharedFileTooLarge")<{
  readonly bytes: number
  readonly events: number
}> {
  override get message() {
    return `These tasks have ${this.events} events, which would make a file of ${Math.ceil(this.bytes / 1e6)} MB: expected at most ${MAX_BYTES / 1e6} MB. Name fewer tasks, or use \`hindcast studio\` instead.`
  }
}

export class PageMissing extends Data.TaggedError("PageMissing")<{ readonly directory: string }> {
  override get message() {
    return `${this.directory}: expected the files of Studio's page, found none. \`npm run build\` creates them.`
  }
}

export const MAX_BYTES = 20_000_000

/** Marks every such document. */
const MARK = '<meta name="generator" content="hindcast export studio">'

export const isShared = (html: string): boolean => html.slice(0, 4096).includes(MARK)

/**
 * The last position of a task in a document, or undefined if the document does not show the task. The document is
 * untrusted.
 */
export const endOf = (html: string, { timeline, task }: SharedTask): number | undefined => {
  const tag = opened("course", { timeline, task })
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

const opened = (path: string, parameters: Parameters<typeof questionOf>[1]): string =>
  `<template ${QUESTION}="${escaped(questionOf(path, parameters))}">`

export const document = ({ tasks, at, notes }: SharedOptions) =>
  Effect.gen(function* () {
    let [bytes, events] = [0, 0]
    const templates: Array<string> = []
    const add = (path: string, parameters: Parameters<typeof questionOf>[1], answer: object) => {
      const text = gzipSync(JSON.stringify(answer), { level: 9 }).toString("base64")
      bytes += text.length
      templates.push(`${opened(path, parameters)}${text}</template>`)
    }
    const heads: Array<TaskHead> = []
    for (const { timeline, task } of tasks) {
      const head = yield* Tasks.head({ timeline, task })
      const course = yield* Tasks.course({ timeline, task })
      heads.push(head)
      events += course.positions.length
      add("task", { timeline, task }, head)
      if (head.isCaptured) add("capture", { timeline, task }, yield* Tasks.capture({ timeline, task }))
      add("course", { timeline, task }, course)
      for (const { set } of head.sets) {
        add("rewards", { timeline, task, set }, yield* Rewards.rewards({ timeline, task, set }))
      }
      if (head.sets.length > 1) add("verdicts", { timeline, task }, yield* Verdicts.verdicts({ timeline, task }))
      for (let number = 0; number * CHUNK < course.positions.length; number++) {
        add("chunk", { timeline, task, number }, yield* Chunks.slice({ timeline, task, number }))
        if (bytes > MAX_BYTES) return yield* new SharedFileTooLarge({ bytes, events })
      }
    }
    const log = yield* Log.log({})
    const shown: LogInfo = {
      ...log,
      allows: { answer: false, fork: false, write: false, talk: false },
      scenarios: false,
      agents: [],
      notes: [...log.notes, ...notes],
    }
    add("log", {}, shown)
    add("tasks", {}, { total: heads.length, rows: heads } satisfies TaskList)
    const [first] = tasks
    const start = first === undefined ? "/" : startOf(first, at)
    return { html: yield* page(templates, start, titleOf(heads)), events }
  })

const startOf = ({ timeline, task }: SharedTask, at: number | undefined): string =>
  `/t/${encodeURIComponent(timeline)}/${encodeURIComponent(task)}${at === undefined ? "" : `/@${at}`}`

const titleOf = (heads: ReadonlyArray<TaskHead>): string =>
  heads.length === 1 ? `${heads[0]?.id}: ${heads[0]?.goal}` : `${heads.length} tasks`

const page = (templates: ReadonlyArray<string>, start: string, title: string) =>
  Effect.gen(function* () {
    const [script, style] = yield* Effect.all([file("studio.js"), file("studio.css")])
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
      `<style>${style}</style></head><body data-start="${escaped(start)}"><div id="studio"></div>\n`,
      ...templates.map((template) => `${template}\n`),
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
