/**
 * Images in messages. A message comes from anywhere, so only raster images are drawn, by their first bytes and up to a
 * size. All other files, SVG included, are a line.
 */
import type { File } from "../../../../projections/conversation/Item.ts"

/** Maximum length in base64 (about 6 MB), and maximum width and height in pixels. */
const LARGEST = 8_000_000
const WIDEST = 16_384

/** The first bytes of each type, in Latin-1. */
const TYPES: ReadonlyArray<readonly [type: string, fits: (begin: string) => boolean]> = [
  ["image/png", (begin) => begin.startsWith("\x89PNG\r\n\x1a\n")],
  ["image/jpeg", (begin) => begin.startsWith("\xff\xd8\xff")],
  ["image/gif", (begin) => begin.startsWith("GIF87a") || begin.startsWith("GIF89a")],
  ["image/webp", (begin) => begin.startsWith("RIFF") && begin.startsWith("WEBP", 8)],
]

/** The `data:` address of an image that may be drawn; undefined for all other files. */
export const pictureIn = ({ data }: File): string | undefined => {
  if (data.length < 32 || data.length > LARGEST || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined
  const begin = atob(data.slice(0, 32))
  const type = TYPES.find(([, fits]) => fits(begin))?.[0]
  return type === undefined || sizeIn(type, begin) > WIDEST ? undefined : `data:${type};base64,${data}`
}

/** The longer side of an image, where its first bytes state it; 0 otherwise: other types limit it themselves. */
const sizeIn = (type: string, begin: string): number => {
  const byte = (at: number) => begin.charCodeAt(at)
  const number = (at: number) => ((byte(at) * 256 + byte(at + 1)) * 256 + byte(at + 2)) * 256 + byte(at + 3)
  return type === "image/png" ? Math.max(number(16), number(20)) : 0
}
