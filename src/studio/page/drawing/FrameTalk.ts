/**
 * The protocol between Studio and a frame in which a plugin's code draws. Studio sends a picture once the previous one
 * is drawn, so only the newest of many waits. Messages from the frame are decoded and can only change the height of its
 * box and the text of its failure.
 */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals"
import type { Json } from "../../../values/Json.ts"
import type { Change } from "../../wire/CourseSlice.ts"

/** The data that a plugin's code may draw: its own world, and nothing else of the log. */
export interface Picture {
  /** The plugin's state document, after and before the event. */
  readonly state: Json
  readonly previous: Json | null
  /** The event's changes of it: JSON Patch with pointers into the document. */
  readonly changes: ReadonlyArray<Change>
  readonly position: number
  readonly theme: "light" | "dark"
}

export type Said =
  | { readonly kind: "ready" }
  | { readonly kind: "drawn"; readonly number: number; readonly height: number }
  | { readonly kind: "error"; readonly number: number; readonly message: string }

export type Standing =
  | { readonly kind: "starting" }
  | { readonly kind: "drawn" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "down"; readonly why: string }

/** Time limits in milliseconds for a frame to get ready, and to draw. */
const READY_MS = 15_000
const DRAW_MS = 2_000

/** Maximum messages of a frame per second. */
const MAX_MESSAGES = 100

/** Maximum length of a failure's text, and bounds of the height in pixels. */
const MAX_TEXT = 500
const HEIGHTS = { least: 24, most: 560 }

export const said = (data: unknown): Said | null => {
  if (typeof data !== "object" || data === null) return null
  const { hindcast, number, height, message } = data as { readonly [name: string]: unknown }
  if (hindcast === "ready") return { kind: "ready" }
  if (typeof number !== "number" || !Number.isSafeInteger(number)) return null
  if (hindcast === "drawn") {
    return typeof height === "number" && Number.isFinite(height) ? { kind: "drawn", number, height } : null
  }
  const isText = typeof message === "string" && message.length <= MAX_TEXT
  return hindcast === "error" && isText ? { kind: "error", number, message } : null
}

export class FrameTalk {
  readonly #standing: Signal<Standing> = signal({ kind: "starting" })
  readonly #height: Signal<number> = signal(HEIGHTS.least)
  readonly #post: (message: object) => void
  #documents = 0
  #isReady = false
  #waiting: Picture | null = null
  /** The number of the last sent picture, and whether the frame is still drawing it. */
  #number = 0
  #isDrawing = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #second = { from: 0, messages: 0 }

  constructor(post: (message: object) => void) {
    this.#post = post
    this.#expect(READY_MS, "It did not start within 15 s.")
  }

  get standing(): ReadonlySignal<Standing> {
    return this.#standing
  }

  /** The height that the frame asked for, in pixels, within bounds. */
  get height(): ReadonlySignal<number> {
    return this.#height
  }

  /** Draws a picture, now or once the previous one is done. */
  draw(picture: Picture): void {
    this.#waiting = picture
    this.#send()
  }

  take(data: unknown): void {
    if (this.#standing.value.kind === "down") return
    const message = said(data)
    if (this.#isFlood()) this.#takeDown("It sent too many messages.")
    else if (message === null) this.#takeDown("It sent a message that Studio does not know.")
    else if (message.kind === "ready") this.#begin()
    else this.#answer(message)
  }

  #begin(): void {
    if (this.#isReady) return
    this.#isReady = true
    clearTimeout(this.#timer)
    this.#send()
  }

  /** Ignores answers to earlier pictures, except failures. */
  #answer(message: Exclude<Said, { readonly kind: "ready" }>): void {
    const isOfLast = message.number === this.#number
    if (message.kind === "error") this.#standing.value = { kind: "failed", message: message.message }
    else if (isOfLast) {
      this.#height.value = Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, Math.ceil(message.height)))
      this.#standing.value = { kind: "drawn" }
    }
    if (!this.#isDrawing || !isOfLast) return
    this.#isDrawing = false
    clearTimeout(this.#timer)
    this.#send()
  }

  /** Handles the frame's load event. A second one means that the frame left its document. */
  loaded(): void {
    this.#documents += 1
    if (this.#documents > 1) this.#takeDown("It navigated to another document.")
  }

  /**
   * Handles that the frame took the keyboard focus. In an inert frame only a script can do that, and the keys belong to
   * Studio.
   */
  focused(): void {
    this.#takeDown("It took the keyboard focus.")
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #send(): void {
    const { value: standing } = this.#standing
    if (!this.#isReady || this.#isDrawing || this.#waiting === null || standing.kind === "down") return
    const picture = this.#waiting
    this.#waiting = null
    this.#number += 1
    this.#isDrawing = true
    this.#expect(DRAW_MS, "It did not draw within 2 s.")
    this.#post({ hindcast: "state", number: this.#number, picture })
  }

  #expect(milliseconds: number, why: string): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#takeDown(why), milliseconds)
  }

  #takeDown(why: string): void {
    clearTimeout(this.#timer)
    this.#waiting = null
    this.#standing.value = { kind: "down", why }
  }

  #isFlood(): boolean {
    const now = performance.now()
    if (now - this.#second.from >= 1_000) this.#second = { from: now, messages: 0 }
    this.#second.messages += 1
    return this.#second.messages > MAX_MESSAGES
  }
}
