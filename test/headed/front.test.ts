import { frontSuite } from './front.ts'

frontSuite(['an own tab'], ['a link to a new tab', 'a form to a new tab', 'window.open', 'window.open with a size'])
