/** Where places of lanes are on the screen: 0 and 1 are the first and the last mark, with room at both ends so that these are whole. */

/** The room at each end, in CSS pixels. */
const PADDING = 8

/** Where a place is, from the left of lanes of a width in CSS pixels. */
export const offsetOf = (place: number, width: number): number => PADDING + place * (width - 2 * PADDING)

/** How much of a width the places from 0 to 1 have, in CSS pixels. */
export const roomOf = (width: number): number => width - 2 * PADDING

/** The same of lanes of any width, as CSS. */
export const leftOf = (place: number): string => `calc(${PADDING}px + (100% - ${2 * PADDING}px) * ${place.toFixed(5)})`

/** The place of lanes that a pointer is at, also outside of 0 and 1; null before the lanes are there. */
export const placeAt = (lanes: Element | null, clientX: number): number | null => {
  if (lanes === null) return null
  const { left, width } = lanes.getBoundingClientRect()
  return (clientX - left - PADDING) / Math.max(1, roomOf(width))
}

/** The same within 0 and 1. */
export const within = (place: number): number => Math.min(1, Math.max(0, place))

/** A canvas of a size in CSS pixels, as sharp as the screen, empty; null where there is nothing to paint on. */
export const emptied = (
  canvas: HTMLCanvasElement | null,
  width: number,
  height: number,
): CanvasRenderingContext2D | null => {
  const context = canvas?.getContext("2d") ?? null
  if (canvas === null || context === null || width === 0) return null
  const ratio = devicePixelRatio
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}
