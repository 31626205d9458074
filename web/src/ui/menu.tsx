import * as Dropdown from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'

/** Things to choose from, below a button. It is not modal: that would need styles which the policy of the page refuses. */
export function Menu({ trigger, children }: { readonly trigger: ReactNode; readonly children: ReactNode }) {
  return (
    <Dropdown.Root modal={false}>
      <Dropdown.Trigger asChild>{trigger}</Dropdown.Trigger>
      <Dropdown.Portal>
        <Dropdown.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="border-line-strong bg-raise z-50 min-w-44 rounded-[3px] border py-1 shadow-lg"
        >
          {children}
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  )
}

export function MenuItem(props: {
  readonly onSelect: () => void
  readonly disabled?: boolean
  readonly danger?: boolean
  readonly children: ReactNode
}) {
  return (
    <Dropdown.Item
      onSelect={props.onSelect}
      disabled={props.disabled ?? false}
      className={`data-[highlighted]:bg-panel flex h-7 cursor-default items-center gap-2 px-3 outline-none data-[disabled]:opacity-45 ${props.danger ? 'text-fail' : ''}`}
    >
      {props.children}
    </Dropdown.Item>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Dropdown.Label className="text-ink-3 px-3 pt-1 pb-0.5 text-[12px]">{children}</Dropdown.Label>
}

export function MenuLine() {
  return <Dropdown.Separator className="bg-line my-1 h-px" />
}
