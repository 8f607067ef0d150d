import { mount } from './mount.tsx'
import { SharedPage } from './shared/page.tsx'

/** The page of a result for everybody who has its link. */
mount({ shared: SharedPage })
