/**
 * Announces to recorders in other processes that a call is in progress in a directory, and reads their announcements:
 * any of these calls may have made a change. Each recorder with calls has a file in the user's own store. The file's
 * name holds the number of times that a call began while none was in progress, and whether one is in progress now.
 */

import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Either, Schema } from "effect"
import * as OwnerOnly from "../platform/OwnerOnly.ts"
import * as ProcessIdentity from "../platform/ProcessIdentity.ts"
import * as UserStore from "../platform/user/UserStore.ts"
import { isInside } from "../plugins/manifest/paths.ts"

export interface OtherRecorders {
  /** A call of this process is in progress from now on. */
  readonly begin: () => void
  /** No call of this process is in progress. */
  readonly rest: () => void
  /** The present states of recorders of this directory, of one above it or of one below it. */
  readonly heard: () => Heard
  readonly close: () => void
}

/** States of other recorders by id, or why they are unknown. */
export type Heard = { readonly states: ReadonlyMap<string, State> } | { readonly unknown: string }

export interface State {
  readonly count: number
  readonly isBusy: boolean
}

/**
 * Whether calls of other recorders may have run between two moments. False if the states are unknown; the caller
 * reports that.
 */
export const haveWorked = (before: Heard, now: Heard): boolean => {
  if ("unknown" in before || "unknown" in now) return false
  const isQuiet = (id: string) => {
    const [then, state] = [before.states.get(id), now.states.get(id)]
    return then !== undefined && state !== undefined && !then.isBusy && !state.isBusy && then.count === state.count
  }
  return ![...before.states.keys(), ...now.states.keys()].every(isQuiet)
}

/** The recorders of a directory, an absolute path without links. Writes nothing before a call begins. */
export const of = (root: string): OtherRecorders => {
  const id = crypto.randomBytes(8).toString("hex")
  const here = ProcessIdentity.own()
  /** This recorder's announcement; undefined before its first call, or if it cannot announce itself. */
  let own: { readonly directory: string; name: string; count: number; isBusy: boolean } | undefined
  let failure: string | undefined
  /** Recorders of other directories. Their files keep their content. */
  const elsewhere = new Set<string>()
  const known = new Map<string, Recorder>()

  const attempt = <A>(work: () => A): A | undefined => {
    try {
      return work()
    } catch (cause) {
      failure = cause instanceof Error ? cause.message : String(cause)
      return undefined
    }
  }

  const move = (count: number, word: Word): void => {
    if (own === undefined) return
    const name = `${id}-${count}-${word}`
    const { directory } = own
    const from = path.join(directory, own.name)
    attempt(() => fs.renameSync(from, path.join(directory, name)))
    own = { directory, name, count, isBusy: word === "busy" }
  }

  const register = (): void => {
    const directory = UserStore.open(NAME, { readonly: false })
    removeOld(directory)
    const name = `${id}-0-new`
    const content: Recorder = { root, process: here }
    fs.writeFileSync(path.join(directory, name), JSON.stringify(content), { mode: OwnerOnly.FILE_MODE, flag: "wx" })
    own = { directory, name, count: 0, isBusy: false }
  }

  const stateOf = (directory: string, file: File): State | undefined => {
    if (elsewhere.has(file.id)) return undefined
    const recorder = known.get(file.id) ?? read(path.join(directory, file.name))
    // It was just renamed, so it begins or ends a call.
    if (recorder === undefined) return { count: file.count, isBusy: true }
    known.set(file.id, recorder)
    if (!isInside(recorder.root, root) && !isInside(root, recorder.root)) {
      elsewhere.add(file.id)
      return undefined
    }
    const isBusy = file.word === "busy" && ProcessIdentity.look(recorder.process, here) !== "gone"
    return { count: file.count, isBusy }
  }

  return {
    begin: () => {
      if (own === undefined) attempt(register)
      if (own !== undefined && !own.isBusy) move(own.count + 1, "busy")
    },
    rest: () => {
      if (own?.isBusy === true) move(own.count, "rest")
    },
    heard: () => {
      const states = attempt(() => {
        const directory = UserStore.directory()
        const found = new Map<string, State>()
        if (directory === undefined) return found
        for (const file of filesIn(path.join(directory, NAME))) {
          const state = file.id === id ? undefined : stateOf(path.join(directory, NAME), file)
          if (state !== undefined) found.set(file.id, state)
        }
        return found
      })
      return states === undefined || failure !== undefined ? { unknown: failure ?? "" } : { states }
    },
    close: () => {
      if (own !== undefined) move(own.count, "ended")
      own = undefined
    },
  }
}

/** The directory of the user's store. */
const NAME = "recorders"

/** A file's content. */
interface Recorder {
  readonly root: string
  readonly process: ProcessIdentity.ProcessPlace
}

const Text = Schema.NullOr(Schema.String)

const decode = Schema.decodeUnknownEither(
  Schema.parseJson(
    Schema.Struct({
      root: Schema.String,
      process: Schema.Struct({
        host: Schema.String,
        pid: Schema.Int,
        boot: Text,
        namespaces: Text,
        started: Text,
      }),
    }),
  ),
)

type Word = "busy" | "rest" | "ended"

interface File {
  readonly name: string
  readonly id: string
  readonly count: number
  readonly word: string
}

const filesIn = (directory: string): ReadonlyArray<File> => {
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : []
  return names.flatMap((name) => {
    const [, id, count, word] = FILE.exec(name) ?? []
    return id === undefined || word === undefined ? [] : [{ name, id, count: Number(count), word }]
  })
}

const FILE = /^([0-9a-f]{16})-(\d{1,15})-(busy|rest|ended)$/

/** Undefined if the file is gone or belongs to no recorder. */
const read = (file: string): Recorder | undefined => {
  try {
    return Either.getOrUndefined(decode(fs.readFileSync(file, "utf8")))
  } catch {
    return undefined
  }
}

/** Removes files of recorders that ended long ago. */
const removeOld = (directory: string): void => {
  for (const { name, word } of filesIn(directory)) {
    const file = path.join(directory, name)
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    if (stats === undefined || Date.now() - stats.ctimeMs < KEPT_MS) continue
    const recorder = word === "ended" ? undefined : read(file)
    if (recorder === undefined || ProcessIdentity.look(recorder.process) !== "exists") fs.rmSync(file, { force: true })
  }
}

/** Longer than almost any call. If a recorder ends during a call, others notice this after it. */
const KEPT_MS = 24 * 60 * 60 * 1000
