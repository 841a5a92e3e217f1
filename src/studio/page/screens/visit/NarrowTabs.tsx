/** The parts of a view as tabs, for narrow screens. */

interface NarrowTabsProps<Tab extends string> {
  readonly tabs: ReadonlyArray<Tab>
  readonly shown: Tab
  readonly onTab: (tab: Tab) => void
}

export const NarrowTabs = <Tab extends string>({ tabs, shown, onTab }: NarrowTabsProps<Tab>) => (
  <div class="tabs narrow" role="tablist" aria-label="Part of the page">
    {tabs.map((name) => (
      <button key={name} type="button" role="tab" aria-selected={shown === name} onClick={() => onTab(name)}>
        {name}
      </button>
    ))}
  </div>
)
