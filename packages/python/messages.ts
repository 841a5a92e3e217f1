import type { Json } from "hindcast/plugin"

/** The first message to the interpreter's thread. */
export interface Start {
  /** Absent without a snapshot. The buffer itself: sending a view would scan it byte by byte. */
  readonly snapshot?: SharedArrayBuffer
  /** Why it is absent. */
  readonly why?: string
}

/** A request of the plugin's main thread, one at a time. */
export type Request =
  | {
      readonly type: "execute"
      readonly code: string
      /** Wheels to install first: `name` or `name==version`. */
      readonly dependencies: ReadonlyArray<string>
      /** Absolute paths of directories with wheels. Missing directories count as empty. */
      readonly wheels: ReadonlyArray<string>
      /** Seeds Python's `random` before the session's first code. */
      readonly seed: number
    }
  | { readonly type: "list" | "read" | "mkdir"; readonly path: string }
  | { readonly type: "write"; readonly path: string; readonly content: string; readonly encoding: Encoding }
  | { readonly type: "remove"; readonly path: string; readonly recursive: boolean }

/** The encoding of a file's bytes in JSON. */
export type Encoding = "utf-8" | "base64"

/** A reply of the interpreter's thread. All but `ready` concern the request with this id. */
export type Reply =
  | { readonly type: "ready"; readonly from: "snapshot" }
  | { readonly type: "ready"; readonly from: "cold"; readonly why: string }
  | { readonly type: "unavailable"; readonly reason: string }
  /**
   * Python begins to run: the code in phase 1, and in phase 2 the report on its end, which may call the code's own
   * functions, such as an exception's `__str__`. An interruption targets one phase of one request.
   */
  | { readonly type: "started"; readonly id: number; readonly phase: 1 | 2 }
  | { readonly type: "done"; readonly id: number; readonly value: Json }
  | { readonly type: "refused"; readonly id: number; readonly code: string; readonly message: string }
  /** The interpreter is unusable. */
  | { readonly type: "lost"; readonly id: number; readonly reason: string }

/**
 * The threads' shared state besides messages, as indices of an `Int32Array`: the level and the target of an
 * interruption.
 */
export const LEVEL = 0
export const TARGET = 1

/** Levels of an interruption: none; KeyboardInterrupt once; and at every step, so that nothing can catch it. */
export const CALM = 0
export const ONCE = 1
export const ALWAYS = 2

/** The target of an interruption. */
export const targetOf = (id: number, phase: number): number => id * 2 + phase

/** A refusal as an error with a code. */
export const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code })
