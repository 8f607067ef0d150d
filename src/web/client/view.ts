/** The view library, for all pages. Elements are made by JSX and patched by key. */
export {
  type ComponentChildren,
  type ComponentType,
  Fragment,
  type HTMLAttributes,
  type JSX,
  type Ref,
  render,
} from 'preact'
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
