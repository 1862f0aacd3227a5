entry @a() {
  return
}
