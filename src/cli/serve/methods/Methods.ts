/** All methods of `hindcast serve`. `docs/reference/protocol.md` describes them. */
import { Effect } from "effect"
import { VERSION } from "../../../kernel/versions.ts"
import { MAX_LINE_BYTES } from "../Lines.ts"
import * as Method from "../Method.ts"
import { PROTOCOL } from "../Request.ts"
import * as ExportMethods from "./ExportMethods.ts"
import * as FileMethods from "./FileMethods.ts"
import * as KernelMethods from "./KernelMethods.ts"
import * as LogMethods from "./LogMethods.ts"
import * as PastMethods from "./PastMethods.ts"
import * as RunMethods from "./RunMethods.ts"
import * as ScoreMethods from "./ScoreMethods.ts"
import * as VectorMethods from "./VectorMethods.ts"
import * as WorldMethods from "./WorldMethods.ts"

/** The first request of a client, which compares the versions. */
const hello = Method.make("hello", Method.NOTHING, () =>
  Effect.succeed({ protocol: PROTOCOL, version: VERSION, maxLineBytes: MAX_LINE_BYTES, pid: process.pid }),
)

export const ALL: ReadonlyArray<Method.Method> = [
  hello,
  ...LogMethods.METHODS,
  ...PastMethods.METHODS,
  ...FileMethods.METHODS,
  ...ScoreMethods.METHODS,
  ...ExportMethods.METHODS,
  ...RunMethods.METHODS,
  ...KernelMethods.METHODS,
  ...WorldMethods.METHODS,
  ...VectorMethods.METHODS,
]
