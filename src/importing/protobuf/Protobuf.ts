/** Decodes and encodes OTLP's protobuf messages. Only `hindcast listen` loads the library. */

import protobuf from "protobufjs/light.js"
import { MESSAGES } from "./Messages.ts"
import { MAX_VALUES, TooManyValues } from "./Values.ts"

/** Nesting of messages: a deeper body is refused, because decoding is recursive. An attribute is cut at 50 levels. */
const MAX_DEPTH = 500

// Numbers are exact to 2^53. Of a time in nanoseconds, only milliseconds count.
protobuf.util.Long = null as never
protobuf.configure()
protobuf.Reader.recursionLimit = MAX_DEPTH

const root = protobuf.Root.fromJSON({ nested: MESSAGES })

/**
 * Decodes a message. Its fields have the names of OTLP/JSON; ids are bytes, and absent fields are no own properties.
 * Throws `TooManyValues`, and another error for bytes that are no such message.
 */
export const decode = (type: "TraceRequest" | "LogsRequest", bytes: Uint8Array): object => {
  const reader = protobuf.Reader.create(bytes)
  reader.discardUnknown = true
  const readTag = reader.tag
  let values = 0
  reader.tag = function (this: protobuf.Reader) {
    values += 1
    if (values > MAX_VALUES) throw new TooManyValues()
    return readTag.call(this)
  }
  return root.lookupType(type).decode(reader)
}

export const encode = (type: "Response" | "Status", message: { readonly [name: string]: unknown }): Uint8Array =>
  root.lookupType(type).encode(root.lookupType(type).fromObject(message)).finish()
