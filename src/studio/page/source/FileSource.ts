/**
 * Recorded answers as a source, from a shared file or from a page's host (`wire/Shared`). Computes answers that follow
 * from the events, and refuses questions that need the log, with advice.
 */

import * as EventText from "../../../search/words/EventText.ts"
import { excerpt, match } from "../../../search/words/Matching.ts"
import { parse, type WordQuery, widened } from "../../../search/words/WordQuery.ts"
import { defined } from "../../../values/defined.ts"
import { pointerKeys, valueAt } from "../../../values/Json.ts"
import { asObject } from "../../../values/JsonObjects.ts"
import type { PathHistory } from "../../wire/Asking.ts"
import type { Effects, Entry, Why } from "../../wire/CourseSlice.ts"
import { CHUNK } from "../../wire/CourseSlice.ts"
import type { SharedRequests } from "../../wire/Saw.ts"
import type { SearchHit } from "../../wire/Search.ts"
import { QUESTION, questionOf } from "../../wire/Shared.ts"
import type { Course } from "../../wire/Task.ts"
import { chainOf } from "../model/chain.ts"
import { LoadedSlice } from "../model/LoadedSlice.ts"
import { type Parameters, type Questions, type Source, SourceFailed } from "./Source.ts"
import { turnAt } from "./sharedRequests.ts"

/** The packed answer to a question, if there is one. */
export type Packed = (question: string) => string | undefined

/** The answers in the templates of a shared file. */
export const inTemplates = (): Packed => {
  const templates = new Map(
    [...document.querySelectorAll<HTMLTemplateElement>(`template[${QUESTION}]`)].map((element) => [
      element.getAttribute(QUESTION) ?? "",
      element,
    ]),
  )
  return (question) => templates.get(question)?.content.textContent ?? undefined
}

export const fileSource = (packed: Packed): Source => {
  const answers = new Map<string, Promise<unknown>>()

  const given = (path: string, parameters: Parameters): Promise<unknown> => {
    const question = questionOf(path, parameters)
    const known = answers.get(question)
    if (known !== undefined) return known
    const text = packed(question)
    if (text === undefined) return Promise.reject(notHere(path, parameters))
    const answer = unpacked(text)
    answers.set(question, answer)
    return answer
  }

  const chunksOf = async ({ timeline, task }: Parameters): Promise<ReadonlyArray<LoadedSlice>> => {
    const course = (await given("course", { timeline, task })) as Course
    const numbers = Array.from({ length: Math.ceil(course.positions.length / CHUNK) }, (_, number) => number)
    return Promise.all(
      numbers.map(
        async (number) => new LoadedSlice((await given("chunk", { timeline, task, number })) as Questions["chunk"]),
      ),
    )
  }

  /** The events of every task in the file, optionally of one timeline. */
  const entries = async (on?: string): Promise<ReadonlyArray<Entry>> => {
    const { rows } = (await given("tasks", {})) as Questions["tasks"]
    const asked = rows.filter(({ timeline }) => on === undefined || timeline === on)
    const all = await Promise.all(asked.map(({ timeline, id }) => chunksOf({ timeline, task: id })))
    return all.flat().flatMap((chunk) => chunk.entries)
  }

  const why = async (position: number): Promise<Why> => chainOf(await entries(), position)

  const effects = async (position: number, timeline?: string): Promise<Effects> => {
    const depths = new Map([[position, 0]])
    return (await entries(timeline)).flatMap((entry) => {
      const depth = entry.cause === null ? undefined : depths.get(entry.cause.position)
      if (depth === undefined) return []
      depths.set(entry.position, depth + 1)
      return [{ ...entry, depth: depth + 1, ...defined({ inferred: entry.cause?.inferred }) }]
    })
  }

  const saw = async ({ timeline, position, task }: Parameters): Promise<Questions["saw"]> => {
    const at = Number(position)
    const of = task ?? (await entries(timeline?.toString())).find((entry) => entry.position === at)?.task
    if (of == null || packed(questionOf("requests", { timeline, task: of })) === undefined) return { saw: null }
    return { saw: turnAt((await given("requests", { timeline, task: of })) as SharedRequests, at) }
  }

  const history = async (parameters: Parameters): Promise<PathHistory> => {
    const path = String(parameters.path ?? "")
    const keys = pointerKeys(path)
    const values: Array<PathHistory["values"][number]> = []
    let before: string | undefined
    for (const chunk of await chunksOf(parameters)) {
      for (const [index, { position, type, actor }] of chunk.entries.entries()) {
        const value = valueAt(chunk.stateAfter(index), keys)
        const text = value === undefined ? undefined : JSON.stringify(value)
        if (text !== before) values.push({ position, type, actor, ...defined({ value }) })
        before = text
      }
    }
    return { path, values, cut: false }
  }

  const located = async (moment: string): Promise<Questions["locate"]> => {
    const position = Number(/@(\d+)$/.exec(moment)?.[1] ?? Number.NaN)
    const found = (await entries()).find((entry) => entry.position === position || entry.id === moment)
    if (found === undefined)
      throw new SourceFailed("NotInFile", `${moment} is not in this file, which contains only the shared tasks.`)
    return { timeline: found.timeline, position: found.position, task: found.task }
  }

  const listed = async ({ open, scores }: Parameters): Promise<Questions["tasks"]> => {
    const { rows } = (await given("tasks", { scores })) as Questions["tasks"]
    const shown = open === "true" ? rows.filter(({ outcome }) => outcome === null) : rows
    return { total: shown.length, rows: shown, found: null }
  }

  /** The rows of a file are the heads of its tasks. */
  const reasons = async (): Promise<Questions["reasons"]> => {
    const { rows } = (await given("tasks", {})) as { readonly rows: ReadonlyArray<Questions["task"]> }
    return rows.map(({ id, sentence }) => ({ id, sentence }))
  }

  const search = async ({ text, before, limit }: Parameters): Promise<Questions["search"]> => {
    const query = parse(String(text ?? ""))
    const all = await entries()
    const covered = { position: 1, head: 1, withoutIndex: null }
    const hits = (wanted: typeof query) =>
      wanted === undefined
        ? []
        : all
            .flatMap((entry) => hitOf(wanted, entry))
            .filter(({ position }) => position < Number(before ?? Number.POSITIVE_INFINITY))
            .sort((a, b) => b.position - a.position)
    const exact = hits(query)
    const found = exact.length > 0 || query === undefined ? exact : hits(widened(query))
    const shown = found.slice(0, Number(limit))
    const next = found.length > shown.length ? (shown.at(-1)?.position ?? null) : null
    return { hits: shown, next, widened: exact.length === 0 && found.length > 0, coverage: covered }
  }

  const answerOf = (path: keyof Questions, parameters: Parameters): Promise<unknown> => {
    switch (path) {
      case "why":
        return why(Number(parameters.position))
      case "effects":
        return effects(Number(parameters.position), parameters.timeline?.toString())
      case "history":
        return history(parameters)
      case "saw":
        return saw(parameters)
      case "curl":
        return Promise.resolve({
          none: `A shared file does not have the request as a command: \`npx hindcast saw @${parameters.position} --curl\` prints it from the log.`,
        })
      case "locate":
        return located(String(parameters.moment))
      case "search":
        return search(parameters)
      case "tasks":
        return FILTERS.some((filter) => parameters[filter]) ? Promise.reject(cannotEvaluate()) : listed(parameters)
      case "reasons":
        return reasons()
      case "overview":
        return Promise.resolve(null)
      case "groups":
      case "questions":
      case "plugins":
        return Promise.resolve([])
      case "curricula":
        return Promise.resolve({ total: 0, runs: [] })
      default:
        return given(path, parameters)
    }
  }

  return {
    ask: async (path, parameters = {}) => (await answerOf(path, parameters)) as never,
    order: () =>
      Promise.reject(
        new SourceFailed(
          "ReadOnly",
          "A shared file is read-only. Open the log with `hindcast studio` to answer, fork or re-score.",
        ),
      ),
    find: async (_, onLine) => onLine({ problem: cannotEvaluate().message }),
    follow: null,
  }
}

const FILTERS = ["where", "text", "state", "agent", "model", "day"]

const hitOf = (query: WordQuery, entry: Entry): ReadonlyArray<SearchHit> => {
  const { position, timeline, task, type, payload, occurredAt } = entry
  const found = EventText.of(type, asObject(payload ?? undefined))
  const matched = found === undefined ? undefined : match(query, found.text)
  if (found === undefined || matched === undefined) return []
  return [{ position, timeline, task, type, kind: found.kind, occurredAt, excerpt: excerpt(found.text, matched) }]
}

const cannotEvaluate = (): SourceFailed =>
  new SourceFailed("NotInFile", "A shared file cannot evaluate predicates: open the log with `hindcast studio`.")

const notHere = (path: string, parameters: Parameters): SourceFailed =>
  new SourceFailed(
    "NotInFile",
    `This file does not contain ${questionOf(path, parameters)}, but only what was shared. \`hindcast studio\` shows the whole log.`,
  )

const unpacked = async (base64: string): Promise<unknown> => {
  const bytes = Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  return JSON.parse(await new Response(stream).text())
}
