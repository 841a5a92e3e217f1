/**
 * Makes all text of the page plain: spells out invisible characters, and characters that change the direction of text
 * next to them.
 */
import { options } from "preact"
import { visibleLines } from "../../../values/PlainText.ts"

/** Attributes that are shown or read out. Others are the page's own, or must stay unchanged. */
const SHOWN = ["title", "aria-label", "aria-valuetext", "placeholder", "label"] as const

/** Applies to all text rendered from now on. */
export const showPlainText = (): void => {
  const next = options.vnode
  options.vnode = (node) => {
    const props: unknown = node.props
    // A text is a node without a type, and its props are the text.
    if (typeof props === "string") Object.assign(node, { props: visibleLines(props) })
    else if (typeof node.type === "string") showPlainAttributes(node.props)
    next?.(node)
  }
}

/** An element owns its props, so change them in place. */
const showPlainAttributes = (
  props: { [name in (typeof SHOWN)[number]]?: unknown } & { readonly children?: unknown },
): void => {
  for (const name of SHOWN) {
    const text = props[name]
    if (typeof text === "string") props[name] = visibleLines(text)
  }
}
