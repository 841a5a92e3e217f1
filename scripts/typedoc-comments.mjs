/**
 * A plugin of TypeDoc, loaded by `typedoc.json`. It finds comments where this repository has them:
 *
 * - a namespace (`export * as Lease from …`) has the comment that its module opens with;
 * - a schema and the type of its values, which have one name, have one comment.
 *
 * What need not have a comment: functions in constants, in types that an entry names without exporting them, and those
 * whose name is a symbol.
 */
import { Comment, Converter, ReflectionKind, TypeScript as ts } from "typedoc"

const OPENING = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//
const NOT_EXPORTED = "Types that are not exported"

/** The text of the comment that a module opens with. */
const openingComment = (file) =>
  (OPENING.exec(file.text)?.[1] ?? "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .filter((line) => !line.startsWith("@"))
    .join("\n")
    .trim()

const commentOf = (text) => new Comment([{ kind: "text", text }])

const isBelow = (reflection, holds) => {
  for (let parent = reflection.parent; parent !== undefined; parent = parent.parent) if (holds(parent)) return true
  return false
}

/** A property that is a function, which TypeDoc takes for a method, without a comment. */
const isUndocumentedFunction = (reflection) =>
  reflection.kindOf(ReflectionKind.Property) &&
  !reflection.hasComment() &&
  reflection.type?.declaration?.signatures !== undefined

const needsNoComment = (reflection) =>
  isUndocumentedFunction(reflection) &&
  (reflection.name.startsWith("[") ||
    isBelow(
      reflection,
      (parent) => parent.kindOf(ReflectionKind.Variable) || parent.name === NOT_EXPORTED || parent.name.startsWith("["),
    ))

export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.comment !== undefined || !reflection.kindOf(ReflectionKind.Namespace)) return
    const file = context.getSymbolFromReflection(reflection)?.declarations?.find(ts.isSourceFile)
    if (file !== undefined) reflection.comment = commentOf(openingComment(file))
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const reflection of Object.values(context.project.reflections)) {
      if (reflection.comment !== undefined || !reflection.kindOf(ReflectionKind.SomeType | ReflectionKind.Variable))
        continue
      const twin = reflection.parent?.children?.find(
        ({ name, comment }) => name === reflection.name && comment !== undefined,
      )
      reflection.comment = twin?.comment.clone()
    }
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, (context) => {
    const names = Object.values(context.project.reflections).filter(needsNoComment)
    app.options.setValue("intentionallyNotDocumented", [...new Set(names.map((found) => found.getFullName()))])
  })
}
