/** What logs say is shown as it is: characters that are invisible, or that turn what stands beside them, are spelled out wherever the page has text. */
import { options } from "preact"
import { visibleLines } from "../../../values/PlainText.ts"

/** Attributes that are read out or shown; the others are the page's own, or have to stay as they are. */
const SHOWN = ["title", "aria-label", "aria-valuetext", "placeholder", "label"] as const

/** Makes each text that is drawn from now on plain, whoever draws it. */
export const showPlainText = (): void => {
  const next = options.vnode
  options.vnode = (node) => {
    const props: unknown = node.props
    // A text is a node without a type, whose props it is.
    if (typeof props === "string") Object.assign(node, { props: visibleLines(props) })
    else if (typeof node.type === "string") showPlainAttributes(node.props)
    next?.(node)
  }
}

/** The properties of an element are its own: they are changed in place. */
const showPlainAttributes = (
  props: { [name in (typeof SHOWN)[number]]?: unknown } & { readonly children?: unknown },
): void => {
  for (const name of SHOWN) {
    const text = props[name]
    if (typeof text === "string") props[name] = visibleLines(text)
  }
}
