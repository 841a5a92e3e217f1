/** The error that ends a program because nothing catches it. */

import { plainText } from "../../values/Json.ts"

/** In characters. */
const LONGEST = 1_000

/** Calls a function with the error before Node prints it and exits. A program with a handler of its own decides itself. */
export const watch = (ends: (error: unknown) => void): void => {
  process.on("uncaughtExceptionMonitor", (error: unknown) => {
    if (process.listenerCount("uncaughtException") > 0 || process.hasUncaughtExceptionCaptureCallback()) return
    ends(error)
  })
}

/** An error's name and message, shortened. Never throws. */
export const described = (thrown: unknown, redact: (text: string) => string): string => {
  const text = redact(plainText(textOf(thrown)))
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…`.toWellFormed() : text
}

const textOf = (thrown: unknown): string => {
  try {
    return String(thrown)
  } catch {
    return "an error that cannot be read"
  }
}
