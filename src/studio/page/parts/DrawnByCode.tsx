/**
 * A world drawn by its plugin's own code, in an isolated frame of another origin. The frame is labelled as the
 * plugin's, takes neither clicks nor focus, and is hidden while a person is asked something.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import type { ViewCode } from "../../wire/CourseSlice.ts"
import { FrameTalk, type Picture } from "../drawing/FrameTalk.ts"

/** Digits of a digest that people see, the minimum for `--draw`. */
const DIGITS = 16

interface Props {
  readonly plugin: string
  readonly address: string
  readonly digest: string
  readonly picture: Omit<Picture, "theme">
  /** Shown until the code has drawn, or if it fails: the manifest's view, if any. */
  readonly children: ComponentChildren
}

export const DrawnByCode = ({ plugin, address, digest, picture, children }: Props) => {
  const frame = useRef<HTMLIFrameElement>(null)
  const [attempt, tryAgain] = useState(0)
  const theme = useTheme()
  const talk = useMemo(
    () => new FrameTalk((message) => frame.current?.contentWindow?.postMessage(message, "*")),
    [address, attempt],
  )
  // Listen before the frame, which loads in another process, can send anything.
  useLayoutEffect(() => {
    const onMessage = (event: MessageEvent<unknown>) => {
      const own = frame.current?.contentWindow
      if (own != null && event.source === own) talk.take(event.data)
    }
    const onBlur = () =>
      setTimeout(() => {
        if (frame.current !== null && document.activeElement === frame.current) talk.focused()
      })
    addEventListener("message", onMessage)
    addEventListener("blur", onBlur)
    return () => {
      removeEventListener("message", onMessage)
      removeEventListener("blur", onBlur)
      talk.end()
    }
  }, [talk])
  useEffect(() => talk.draw({ ...picture, theme }), [talk, picture.state, picture.position, theme])
  const standing = talk.standing.value
  if (standing.kind === "down") {
    return (
      <>
        {children}
        <p class="note">
          The drawing code of <bdi>{plugin}</bdi> was stopped. {standing.why}{" "}
          <button type="button" onClick={() => tryAgain(attempt + 1)}>
            Try again
          </button>
        </p>
      </>
    )
  }
  return (
    <>
      <figure class={standing.kind === "drawn" ? "foreign" : "foreign unseen"}>
        <figcaption>
          drawn by the code of the plugin <bdi>{plugin}</bdi> <code>{digest.slice(0, DIGITS)}</code>
        </figcaption>
        <iframe
          // Sandbox the frame before giving it an address.
          ref={frame}
          key={`${address} ${attempt}`}
          sandbox="allow-scripts"
          allow=""
          {...CREDENTIALLESS}
          inert
          tabIndex={-1}
          referrerpolicy="no-referrer"
          title={`World, drawn by the plugin ${plugin}`}
          style={{ height: `${talk.height.value}px` }}
          src={address}
          onLoad={() => talk.loaded()}
        />
      </figure>
      {standing.kind === "drawn" ? null : children}
      {standing.kind === "failed" ? (
        <p class="note">
          The drawing code of <bdi>{plugin}</bdi> failed: <bdi>{standing.message}</bdi>
        </p>
      ) : null}
    </>
  )
}

/** Why a plugin's code does not draw, or how to allow it. */
export const NotDrawn = ({ plugin, code }: { readonly plugin: string; readonly code: ViewCode }) => (
  <p class="note">
    {code.problem === null ? (
      <>
        <bdi>{plugin}</bdi> has its own drawing code. To see it, start Studio with{" "}
        <code>
          --draw {plugin}@{code.digest.slice(0, DIGITS)}
        </code>
      </>
    ) : (
      <bdi>{code.problem}</bdi>
    )}
  </p>
)

/** Without the cookies and caches of its origin, in browsers that support that. */
const CREDENTIALLESS = { credentialless: true }

const useTheme = (): "light" | "dark" => {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), [])
  const [isDark, setDark] = useState(query.matches)
  useEffect(() => {
    const onChange = () => setDark(query.matches)
    query.addEventListener("change", onChange)
    return () => query.removeEventListener("change", onChange)
  }, [query])
  return isDark ? "dark" : "light"
}
