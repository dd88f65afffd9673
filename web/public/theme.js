// Sets the stored theme before the first paint; a file of its own because the content policy forbids inline scripts.
;(function () {
  var theme = 'light'
  try {
    var stored = JSON.parse(localStorage.getItem('theme') || 'null')
    theme = (stored && stored.state && stored.state.theme) || 'light'
  } catch {
    // No storage or a broken value: the default stands.
  }
  if (theme === 'system') theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  document.documentElement.dataset.theme = theme === 'dark' ? 'dark' : 'light'
})()
