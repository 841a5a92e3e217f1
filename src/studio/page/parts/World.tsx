/** The world at the position, drawn by its plugin's view or by its own code, and labelled as the plugin's. */
import { Fragment, type JSX } from "preact"
import { type Json, type JsonObject, valueAt } from "../../../values/Json.ts"
import { paint } from "../../../views/Colours.ts"
import type { Block, Shape } from "../../../views/Drawing.ts"
import { draw } from "../../../views/draw.ts"
import type { View } from "../../../views/View.ts"
import type { Change, ViewCode } from "../../wire/CourseSlice.ts"
import type { CourseMoment } from "../model/CourseHistory.ts"
import { DrawnByCode, NotDrawn } from "./DrawnByCode.tsx"

/** A plugin's world with a view, drawing code, or both. */
export interface DrawnWorld {
  readonly plugin: string
  readonly scope: string
  readonly position: number
  readonly document: Json
  /** The document before the event, if any. */
  readonly previous: Json | null
  /** The event's changes of it, by pointers into it. */
  readonly changes: ReadonlyArray<Change>
  readonly view: View | null
  readonly code: ViewCode | null
}

export const worldsOf = (frame: CourseMoment, task: string | null): ReadonlyArray<DrawnWorld> => {
  const scopes = [task === null ? null : ["tasks", task], ["shared"]].filter((keys) => keys !== null)
  return scopes.flatMap((keys) => {
    const environment = valueAt(frame.after, [...keys, "environment"])
    if (typeof environment !== "object" || environment === null) return []
    return Object.entries(environment as JsonObject).flatMap(([plugin, document]) => {
      const drawn = frame.chunk.viewOf(plugin, frame.position)
      if (drawn === undefined) return []
      const at = [...keys, "environment", plugin]
      const world: DrawnWorld = {
        plugin,
        scope: keys.join("/"),
        position: frame.position,
        document,
        code: drawn.code,
        previous: valueAt(frame.before, at) ?? null,
        changes: within(frame.entry?.changes ?? [], at),
        // The server has validated it by the schema of views.
        view: drawn.view as unknown as View | null,
      }
      return [world]
    })
  })
}

/** The changes below a place, by pointers from there. */
const within = (changes: ReadonlyArray<Change>, place: ReadonlyArray<string>): ReadonlyArray<Change> => {
  const above = place.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
  return changes
    .filter(({ path }) => path === above || path.startsWith(`${above}/`))
    .map((change) => ({ ...change, path: change.path.slice(above.length) }))
}

export const World = ({ world }: { readonly world: DrawnWorld }) => {
  const { plugin, code, view, document: state, previous, changes, position } = world
  const byView = view === null ? null : <DrawnByView world={world} view={view} />
  if (code === null || code.frame === null)
    return (
      <>
        {byView}
        {code === null ? null : <NotDrawn plugin={plugin} code={code} />}
      </>
    )
  return (
    <DrawnByCode
      plugin={plugin}
      address={code.frame}
      digest={code.digest}
      picture={{ state, previous, changes, position }}
    >
      {byView}
    </DrawnByCode>
  )
}

export const DrawnByView = ({
  world,
  view,
}: {
  readonly world: Pick<DrawnWorld, "plugin" | "scope" | "document">
  readonly view: View
}) => {
  const { blocks, notes } = draw(view, world.document, true)
  return (
    <figure class="world">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
      {notes.map((note) => (
        <p class="note" key={note}>
          {note}
        </p>
      ))}
      <figcaption>
        drawn by <bdi>{world.plugin}</bdi>
        {world.scope === "shared" ? ", shared by all tasks" : ""}
      </figcaption>
    </figure>
  )
}

const BlockView = ({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case "text":
      return (
        <Titled title={block.title}>
          <p class={block.colour === undefined ? undefined : `c-${block.colour}`}>
            {block.lines.map((line, index) => (
              <Fragment key={index}>
                {index === 0 ? null : <br />}
                <bdi>{line}</bdi>
              </Fragment>
            ))}
          </p>
        </Titled>
      )
    case "grid":
      return (
        <Titled title={block.title}>
          <pre
            role="img"
            aria-label={`${block.title ?? "Grid"}, ${block.rows.length} × ${block.rows[0]?.length ?? 0} cells`}
          >
            {block.rows.map((row, index) => (
              <Fragment key={index}>
                {index === 0 ? null : "\n"}
                {row.map((cell, column) => (
                  <Fragment key={column}>
                    {column > 0 && block.spaced ? " " : ""}
                    {cell.colour === undefined ? cell.text : <span class={`c-${cell.colour}`}>{cell.text}</span>}
                  </Fragment>
                ))}
              </Fragment>
            ))}
          </pre>
          {block.legend.length === 0 ? null : (
            <p class="note">
              {block.legend.map(({ text, colour, label }) => (
                <span class="legend" key={label}>
                  <span class={colour === undefined ? undefined : `c-${colour}`}>{text}</span> {label}
                </span>
              ))}
            </p>
          )}
        </Titled>
      )
    case "gauges":
      return (
        <Titled title={block.title}>
          {block.gauges.map(({ label, text, bar }) => (
            <p class="gauge" key={label}>
              <span>{label}</span>
              {bar === null ? <span /> : <meter min={bar.min} max={bar.max} value={bar.value} aria-label={label} />}
              <bdi>{text}</bdi>
            </p>
          ))}
        </Titled>
      )
    case "table":
      return (
        <Titled title={block.title}>
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  {block.headings.map((heading) => (
                    <th scope="col" key={heading}>
                      {heading}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {block.rows.map((row, index) => (
                  <tr key={index}>
                    {row.map((cell, column) => (
                      <td key={column} class={block.numeric[column] === true ? "n" : undefined}>
                        <bdi>{cell}</bdi>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </Titled>
      )
    case "picture":
      return (
        <svg class="picture" viewBox={`0 0 ${block.width} ${block.height}`} role="img" aria-label={block.title}>
          {block.shapes.map((shape, index) => (
            <ShapeView key={index} shape={shape} />
          ))}
        </svg>
      )
  }
}

const Titled = ({
  title,
  children,
}: {
  readonly title?: string | undefined
  readonly children: preact.ComponentChildren
}) => (
  <div class="block">
    {title === undefined ? null : <p class="title">{title}</p>}
    {children}
  </div>
)

/** Element and attribute names come from the schema of views, which allows none that loads, links or runs anything. */
const ShapeView = ({ shape: { element: Element, attributes, text, children = [] } }: { readonly shape: Shape }) => {
  const given = Object.fromEntries(attributes.map(([name, value]) => [name, paint(value)]))
  const fill = Element === "text" && given.fill === undefined ? { fill: "currentColor" } : {}
  const Tag = Element as keyof JSX.IntrinsicElements
  return (
    <Tag {...given} {...fill}>
      {text}
      {children.map((child, index) => (
        <ShapeView key={index} shape={child} />
      ))}
    </Tag>
  )
}
