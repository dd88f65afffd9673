import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { useWasPrerendered } from '@/lib/was-prerendered'
import { PublicPage } from '../public-page'
import { CourseHero } from './ugc-course/course-hero'
import { Gallery } from './ugc-course/gallery'
import { ModuleList } from './ugc-course/module-list'
import { PriceTiers } from './ugc-course/price-tiers'
import { Questions } from './ugc-course/questions'
import { Videos } from './ugc-course/videos'

/** The sales page of the course [PUB-02]. */
export function UgcCoursePage() {
  useScrollToHash()
  return (
    <PublicPage>
      <CourseHero />
      <ModuleList />
      <Videos />
      <Gallery />
      <PriceTiers />
      <Questions />
    </PublicPage>
  )
}

/** The landing page links to a section of this one; a browser that opens this page by such a link goes there itself. */
function useScrollToHash() {
  const { hash } = useLocation()
  const wasPrerendered = useWasPrerendered()
  const shown = useRef(wasPrerendered ? hash : '')
  useEffect(() => {
    if (shown.current === hash) return
    shown.current = hash
    if (hash) document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView()
  }, [hash])
}
