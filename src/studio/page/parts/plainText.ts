/** What logs say is shown as it is: characters that are invisible, or that turn what stands beside them, are spelled out wherever the page has text. */
import { options } from "preact"
import { visibleLines } from "../../../values/PlainText.ts"

/** Attributes that are read out or shown; the others are the page's own, or have to stay as they are. */
const SHOWN: ReadonlySet<string> = new Set(["title", "aria-label", "aria-valuetext", "placeholder"])

/** Makes each text that is drawn from now on plain, whoever draws it. */
export const showPlainText = (): void => {
  const next = options.vnode
  options.vnode = (node) => {
    const props: unknown = node.props
    // A text is a node without a type, whose props it is.
    if (typeof props === "string") Object.assign(node, { props: visibleLines(props) })
    else if (typeof node.type === "string") Object.assign(node.props, plainAttributes(node.props))
    next?.(node)
  }
}

const plainAttributes = (props: object): object =>
  Object.fromEntries(
    Object.entries(props).flatMap(([name, text]) =>
      SHOWN.has(name) && typeof text === "string" ? [[name, visibleLines(text)]] : [],
    ),
  )
