/** The view library, for all pages. Elements are made by JSX and patched by key. */
export { type ComponentChildren, type JSX, render } from 'preact'
export { useEffect, useMemo, useRef, useState } from 'preact/hooks'
