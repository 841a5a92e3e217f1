/** The frame of an HTML page: a single file without network access or scripts. */

import { createHash } from "node:crypto"
import { Markup as Made, type Markup, markup } from "../values/Markup.ts"
import type { StudioLinks } from "./StudioLinks.ts"
import { CSS } from "./Stylesheet.ts"

export interface Source {
  readonly log: string
  /** The log's last position at that time. */
  readonly head: number
  /** The program that made the page: `Hindcast 0.3.0`. */
  readonly by: string
  /** The page that shows tasks and their moments. */
  readonly studio?: StudioLinks
}

/**
 * A page in one file. It loads nothing and runs no script; its Content-Security-Policy allows only its own style sheet,
 * by digest.
 */
export function* document(title: string, body: Iterable<Markup>): Generator<string> {
  yield markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>${title}</title><style>${STYLE}</style></head><body>
`.source
  for (const part of body) yield `${part.source}\n`
  yield "</body></html>\n"
}

const STYLE = new Made(CSS)
const POLICY = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(CSS).digest("base64")}'; img-src data:; base-uri 'none'; form-action 'none'`
