import type { Json } from "hindcast/plugin"

/** The first message to the interpreter's thread. */
export interface Start {
  /** Absent where there is no snapshot to start from. A view of it would be looked through byte by byte on the way. */
  readonly snapshot?: SharedArrayBuffer
  /** Why it is absent. */
  readonly why?: string
}

/** What the plugin's main thread asks of the interpreter's thread: one request at a time. */
export type Request =
  | {
      readonly type: "execute"
      readonly code: string
      /** Wheels to install first: `name` or `name==version`. */
      readonly dependencies: ReadonlyArray<string>
      /** Directories where wheels are looked for, as absolute paths; those that are not there count as empty. */
      readonly wheels: ReadonlyArray<string>
      /** Seeds Python's `random`, where this is the session's first code. */
      readonly seed: number
    }
  | { readonly type: "list" | "read" | "mkdir"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string; readonly encoding: Encoding }
  | { readonly type: "remove"; readonly path: string; readonly recursive: boolean }

/** How a file's bytes are written in JSON. */
export type Encoding = "utf-8" | "base64"

/** What the interpreter's thread says. Everything but `ready` is about the request with this id. */
export type Reply =
  | { readonly type: "ready"; readonly from: "snapshot" }
  | { readonly type: "ready"; readonly from: "cold"; readonly why: string }
  | { readonly type: "unavailable"; readonly reason: string }
  /**
   * Python begins to run now: in phase 1 the code, in phase 2 what says how it ended (which may be the code's own, such as
   * an exception's `__str__`). An interruption is meant for one phase of one request.
   */
  | { readonly type: "started"; readonly id: number; readonly phase: 1 | 2 }
  | { readonly type: "done"; readonly id: number; readonly value: Json }
  /** It was refused; the interpreter is as it was. */
  | { readonly type: "refused"; readonly id: number; readonly code: string; readonly message: string }
  /** The interpreter cannot go on. */
  | { readonly type: "lost"; readonly id: number; readonly reason: string }

/** What the two threads share besides messages: how hard to interrupt, and what. Elements of an `Int32Array`. */
export const LEVEL = 0
export const TARGET = 1

/** Levels of an interruption: none; KeyboardInterrupt once; and again wherever Python goes on, so that nothing catches it. */
export const CALM = 0
export const ONCE = 1
export const ALWAYS = 2

/** The target of an interruption. */
export const targetOf = (id: number, phase: number): number => id * 2 + phase

/** An answer that says no. */
export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code })
