/** Components that load when they are first shown, so that the page begins sooner. */
import type { ComponentType, VNode } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useStudio } from "./context.ts"

/**
 * A component whose module is loaded at its first use. Until then, it shows nothing; a failure, such as of a server
 * that has ended, is a notice, and the next use tries again.
 *
 * @param waiting what a screen shows until then
 */
export const lazy = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: VNode | null = null,
): ComponentType<Props> => {
  let loaded: ComponentType<Props> | null = null
  return (props: Props) => {
    const studio = useStudio()
    const [Loaded, show] = useState<{ readonly component: ComponentType<Props> } | null>(
      loaded === null ? null : { component: loaded },
    )
    useEffect(() => {
      if (Loaded !== null) return
      load().then(
        (component) => {
          loaded = component
          show({ component })
        },
        (cause: unknown) => studio.fail(cause),
      )
    }, [Loaded])
    return Loaded === null ? waiting : <Loaded.component {...props} />
  }
}
