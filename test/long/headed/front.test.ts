import { ACTS, frontSuite, PLACES } from '../../headed/front.ts'

frontSuite(Object.keys(PLACES), Object.keys(ACTS))
